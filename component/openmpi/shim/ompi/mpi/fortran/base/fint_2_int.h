#pragma once
/* Debian's packages omit this header, which ompi/op/op.h includes. Where a Fortran INTEGER is a C int, C code
   needs no conversion. An installed header takes precedence. */
#define OMPI_INT_2_FINT(value) (value)
#define OMPI_FINT_2_INT(value) (value)
