! Monitoring sessions for Fortran: the functions of MPI_Monitoring.h, which states their contracts, with a last argument for
! the return code, and a session as an integer.
!
!     USE MPI_Monitoring
!     INCLUDE "mpif.h"                             ! or USE mpi
!     INTEGER :: id, ierr
!     CALL MPI_M_init(ierr)
!     CALL MPI_M_start(MPI_COMM_WORLD, id, ierr)   ! with USE mpi_f08: MPI_COMM_WORLD%MPI_VAL
!
! Counts and sizes have the kind of C's long. The module uses no names of MPI, so that it fits any of its interfaces.
module MPI_Monitoring
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  private :: c_int, c_long

  integer, parameter :: MPI_M_INTERNAL_FAIL = 7001
  integer, parameter :: MPI_M_MPIT_FAIL = 7002
  integer, parameter :: MPI_M_MISSING_INIT = 7003
  integer, parameter :: MPI_M_SESSION_STILL_ACTIVE = 7004
  integer, parameter :: MPI_M_SESSION_NOT_SUSPENDED = 7005
  integer, parameter :: MPI_M_INVALID_MSID = 7006
  integer, parameter :: MPI_M_SESSION_OVERFLOW = 7007
  integer, parameter :: MPI_M_MULTIPLE_CALL = 7008
  integer, parameter :: MPI_M_INVALID_ROOT = 7009

  integer, parameter :: MPI_M_MAX_SESSIONS = 64
  integer, parameter :: MPI_M_ALL_MSID = -1

  integer, parameter :: MPI_M_P2P_ONLY = 1
  integer, parameter :: MPI_M_COLL_ONLY = 2
  integer, parameter :: MPI_M_OSC_ONLY = 4
  integer, parameter :: MPI_M_ALL_COMM = 7

  ! Replace outputs that are not wanted: recognised by address, as MPI_STATUS_IGNORE is.
  integer(c_int), bind(C, name="strata_monitoring_int_ignore") :: MPI_M_INT_IGNORE
  integer(c_long), bind(C, name="strata_monitoring_data_ignore") :: MPI_M_DATA_IGNORE(1)

  interface
    subroutine MPI_M_init(ierr)
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_finalize(ierr)
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_start(comm, msid, ierr)
      integer, intent(in) :: comm
      integer, intent(out) :: msid, ierr
    end subroutine

    subroutine MPI_M_suspend(msid, ierr)
      integer, intent(in) :: msid
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_continue(msid, ierr)
      integer, intent(in) :: msid
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_reset(msid, ierr)
      integer, intent(in) :: msid
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_free(msid, ierr)
      integer, intent(in) :: msid
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_get_info(msid, provided, array_size, ierr)
      import :: c_int
      integer, intent(in) :: msid
      integer(c_int) :: provided, array_size
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_get_data(msid, msg_counts, msg_sizes, flags, ierr)
      import :: c_long
      integer, intent(in) :: msid, flags
      integer(c_long) :: msg_counts(*), msg_sizes(*)
      integer, intent(out) :: ierr
    end subroutine

    ! Matrices have C's order of elements: the traffic from I to J is element (J, I) of an array (n, n), from 1.
    subroutine MPI_M_allgather_data(msid, matrix_counts, matrix_sizes, flags, ierr)
      import :: c_long
      integer, intent(in) :: msid, flags
      integer(c_long) :: matrix_counts(*), matrix_sizes(*)
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_rootgather_data(msid, root, matrix_counts, matrix_sizes, flags, ierr)
      import :: c_long
      integer, intent(in) :: msid, root, flags
      integer(c_long) :: matrix_counts(*), matrix_sizes(*)
      integer, intent(out) :: ierr
    end subroutine

    ! Trailing blanks of a file name are ignored.
    subroutine MPI_M_flush(msid, filename, flags, ierr)
      integer, intent(in) :: msid, flags
      character(len=*), intent(in) :: filename
      integer, intent(out) :: ierr
    end subroutine

    subroutine MPI_M_rootflush(msid, root, filename, flags, ierr)
      integer, intent(in) :: msid, root, flags
      character(len=*), intent(in) :: filename
      integer, intent(out) :: ierr
    end subroutine
  end interface
end module MPI_Monitoring
