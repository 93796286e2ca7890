/* Commands of the program that are written in Python: modules of the package beside it. */
#ifndef KN_PYTHON_H
#define KN_PYTHON_H

/* Run a module of the Python package, such as "knudsen.plot", with the words argv[1..argc - 1].  Returns the
 * exit code for this program: that of the module, 128 + n after signal n, or that of an error, which is
 * printed here.
 *
 * The interpreter is $KNUDSEN_PYTHON; without it the first of python3 in PATH and /usr/bin/python3 that has
 * the libraries the module needs.  $KNUDSEN is set to the path of this program, $KNUDSEN_MPI to off. */
int kn_python_run(const char *module, int argc, char **argv);

#endif
