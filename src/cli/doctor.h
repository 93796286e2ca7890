/* knudsen doctor: what this machine has for the program, what it lacks. */
#ifndef KN_DOCTOR_H
#define KN_DOCTOR_H

int kn_doctor(void);

#endif
