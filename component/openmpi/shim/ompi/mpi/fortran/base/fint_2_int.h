#pragma once
/* Debian's packages leave this header out although ompi/op/op.h asks for it. C code on platforms where a
   Fortran INTEGER is a C int needs no conversion; the installed header, where there is one, comes first. */
#define OMPI_INT_2_FINT(value) (value)
#define OMPI_FINT_2_INT(value) (value)
