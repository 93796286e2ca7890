/* `knudsen plot`: a picture of a finished run, drawn by gnuplot. */
#ifndef KN_PLOT_H
#define KN_PLOT_H

/* Draw what folder/fields.h5 holds into `output` (.png or .svg; NULL =
 * folder/picture.png): a map of the speed with streamlines where the gas moves
 * in a plane, of the temperature where it rests, profiles along a line (at up to
 * six times where there is a series of fields), or the history of a single cell.  Complains on stderr;
 * returns the exit code. */
int kn_plot(const char *folder, const char *output);

#endif
