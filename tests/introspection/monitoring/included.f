C     Compiles where INTEGER is as long as C's int, and nowhere else.
      PROGRAM INCLUDED
      IMPLICIT NONE
      INCLUDE 'MPI_Monitoring.inc'
      INTEGER RETVAL
      CALL MPI_M_INIT(RETVAL)
      END
