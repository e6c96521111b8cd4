! The subroutines behind the module and the include file. They are external procedures, so that the compiler mangles their
! names as it does in programs. Each calls the C function of that name in monitoring_entries.cc with C's integers, which
! may differ from Fortran's (-fdefault-integer-8).
subroutine MPI_M_init(ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(out) :: ierr
  interface
    function entry_of() &
      result(code) bind(C, name="strata_monitoring_init")
      import :: c_int
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of()
end subroutine

subroutine MPI_M_finalize(ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(out) :: ierr
  interface
    function entry_of() &
      result(code) bind(C, name="strata_monitoring_finalize")
      import :: c_int
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of()
end subroutine

subroutine MPI_M_start(comm, msid, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: comm
  integer, intent(out) :: msid
  integer, intent(out) :: ierr
  integer(c_int) :: id
  interface
    function entry_of(comm, msid) &
      result(code) bind(C, name="strata_monitoring_start")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int), intent(out) :: msid
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(comm, c_int), id)
  if (ierr == 0) msid = id
end subroutine

subroutine MPI_M_suspend(msid, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: msid
  integer, intent(out) :: ierr
  interface
    function entry_of(msid) &
      result(code) bind(C, name="strata_monitoring_suspend")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int))
end subroutine

subroutine MPI_M_continue(msid, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: msid
  integer, intent(out) :: ierr
  interface
    function entry_of(msid) &
      result(code) bind(C, name="strata_monitoring_continue")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int))
end subroutine

subroutine MPI_M_reset(msid, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: msid
  integer, intent(out) :: ierr
  interface
    function entry_of(msid) &
      result(code) bind(C, name="strata_monitoring_reset")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int))
end subroutine

subroutine MPI_M_free(msid, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: msid
  integer, intent(out) :: ierr
  interface
    function entry_of(msid) &
      result(code) bind(C, name="strata_monitoring_free")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int))
end subroutine

subroutine MPI_M_get_info(msid, provided, array_size, ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: msid
  integer(c_int) :: provided, array_size
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, provided, array_size) &
      result(code) bind(C, name="strata_monitoring_get_info")
      import :: c_int
      integer(c_int), value :: msid
      integer(c_int) :: provided, array_size
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), provided, array_size)
end subroutine

subroutine MPI_M_get_data(msid, msg_counts, msg_sizes, flags, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  integer, intent(in) :: msid, flags
  integer(c_long) :: msg_counts(*), msg_sizes(*)
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, msg_counts, msg_sizes, flags) &
      result(code) bind(C, name="strata_monitoring_get_data")
      import :: c_int, c_long
      integer(c_int), value :: msid, flags
      integer(c_long) :: msg_counts(*), msg_sizes(*)
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), msg_counts, msg_sizes, int(flags, c_int))
end subroutine

subroutine MPI_M_allgather_data(msid, matrix_counts, matrix_sizes, flags, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  integer, intent(in) :: msid, flags
  integer(c_long) :: matrix_counts(*), matrix_sizes(*)
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, matrix_counts, matrix_sizes, flags) &
      result(code) bind(C, name="strata_monitoring_allgather_data")
      import :: c_int, c_long
      integer(c_int), value :: msid, flags
      integer(c_long) :: matrix_counts(*), matrix_sizes(*)
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), matrix_counts, matrix_sizes, int(flags, c_int))
end subroutine

subroutine MPI_M_rootgather_data(msid, root, matrix_counts, matrix_sizes, flags, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  integer, intent(in) :: msid, root, flags
  integer(c_long) :: matrix_counts(*), matrix_sizes(*)
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, root, matrix_counts, matrix_sizes, flags) &
      result(code) bind(C, name="strata_monitoring_rootgather_data")
      import :: c_int, c_long
      integer(c_int), value :: msid, root, flags
      integer(c_long) :: matrix_counts(*), matrix_sizes(*)
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), int(root, c_int), matrix_counts, matrix_sizes, int(flags, c_int))
end subroutine

subroutine MPI_M_flush(msid, filename, flags, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char
  implicit none
  integer, intent(in) :: msid, flags
  character(len=*), intent(in) :: filename
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, filename, flags) &
      result(code) bind(C, name="strata_monitoring_flush")
      import :: c_int, c_char
      integer(c_int), value :: msid, flags
      character(kind=c_char), intent(in) :: filename(*)
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), trim(filename) // c_null_char, int(flags, c_int))
end subroutine

subroutine MPI_M_rootflush(msid, root, filename, flags, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char
  implicit none
  integer, intent(in) :: msid, root, flags
  character(len=*), intent(in) :: filename
  integer, intent(out) :: ierr
  interface
    function entry_of(msid, root, filename, flags) &
      result(code) bind(C, name="strata_monitoring_rootflush")
      import :: c_int, c_char
      integer(c_int), value :: msid, root, flags
      character(kind=c_char), intent(in) :: filename(*)
      integer(c_int) :: code
    end function
  end interface
  ierr = entry_of(int(msid, c_int), int(root, c_int), trim(filename) // c_null_char, int(flags, c_int))
end subroutine
