! The same table as errors.c (errors.table) for Fortran: with the module, or, with INCLUDED defined, the include file.
! Then counts of a Bcast, for which the program may also pass the constants for unwanted outputs.
!
!   errors TABLE PREFIX
program errors
#ifndef INCLUDED
  use MPI_Monitoring
#endif
  implicit none
  include "mpif.h"
#ifdef INCLUDED
  include "MPI_Monitoring.inc"
#endif
  integer, parameter :: long = selected_int_kind(18)
  integer, parameter :: unit = 17
  character(len=256) :: table, prefix, line
  character(len=32) :: state, call_name, argument, expected
  integer :: processes, rank, ierr, status, number, code, calls, failures, id
  logical :: is_open
  integer(kind=long), allocatable :: counts(:), sizes(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
  call get_command_argument(1, table)
  call get_command_argument(2, prefix)
  allocate(counts(processes * processes), sizes(processes * processes))
  is_open = .false.
  calls = 0
  failures = 0
  number = 0
  open(unit, file=table, action="read", status="old")
  do
    read(unit, "(A)", iostat=status) line
    if (status /= 0) exit
    number = number + 1
    if (line(1:1) == "#" .or. line == "") cycle
    read(line, *) state, call_name, argument, expected
    if (argument == "null") cycle
    call reach()
    call make_call()
    if (code /= code_of(expected)) then
      print "(A,I0,A,I0,8A,I0,2A)", "errors: line ", number, ", rank ", rank, ": ", trim(state), " ", &
        trim(call_name), " ", trim(argument), " returned", " ", code, ", expected ", trim(expected)
      failures = failures + 1
    end if
    call free_all()
    calls = calls + 1
  end do
  close(unit)
  call leave()
  call count_broadcast()
  if (failures == 0) print "(A,I0,A,I0,A)", "errors: rank ", rank, " made ", calls, " calls"
  call MPI_Finalize(ierr)
  if (failures /= 0) stop 1

contains

  subroutine must(result)
    integer, intent(in) :: result
    if (result /= MPI_SUCCESS) then
      print "(A,I0)", "errors: a call that prepares a state returned ", result
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end if
  end subroutine

  ! MPI_M_init takes a fifth of a second: sessions stay open where possible.
  subroutine reach()
    integer :: i, other
    id = 4711
    if (state == "none") then
      call leave()
      return
    end if
    if (.not. is_open) then
      call MPI_M_init(ierr)
      call must(ierr)
      is_open = .true.
    end if
    if (state == "open") return
    call MPI_M_start(MPI_COMM_WORLD, id, ierr)
    call must(ierr)
    if (state == "active") return
    call MPI_M_suspend(id, ierr)
    call must(ierr)
    if (state == "full") then
      do i = 2, MPI_M_MAX_SESSIONS
        call MPI_M_start(MPI_COMM_WORLD, other, ierr)
        call must(ierr)
        call MPI_M_suspend(other, ierr)
        call must(ierr)
      end do
    else if (state == "freed" .or. state == "finalized") then
      call MPI_M_free(id, ierr)
      call must(ierr)
      if (state == "finalized") then
        call MPI_M_finalize(ierr)
        call must(ierr)
        is_open = .false.
      end if
    end if
  end subroutine

  subroutine free_all()
    if (.not. is_open) return
    call MPI_M_suspend(MPI_M_ALL_MSID, ierr)
    call must(ierr)
    call MPI_M_free(MPI_M_ALL_MSID, ierr)
    call must(ierr)
  end subroutine

  subroutine leave()
    call free_all()
    if (.not. is_open) return
    call MPI_M_finalize(ierr)
    call must(ierr)
    is_open = .false.
  end subroutine

  subroutine make_call()
    integer :: session, comm, provided, array_size
    session = id
    if (argument == "all") session = MPI_M_ALL_MSID
    if (argument == "zero") session = 0
    if (argument == "foreign") session = ieor(id, 4096)
    comm = MPI_COMM_WORLD
    if (argument == "nowhere") comm = MPI_COMM_NULL
    code = -1
    select case (call_name)
    case ("init")
      call MPI_M_init(code)
      is_open = is_open .or. code == MPI_SUCCESS
    case ("finalize")
      call MPI_M_finalize(code)
      is_open = is_open .and. code /= MPI_SUCCESS
    case ("start")
      call MPI_M_start(comm, session, code)
    case ("suspend")
      call MPI_M_suspend(session, code)
    case ("continue")
      call MPI_M_continue(session, code)
    case ("reset")
      call MPI_M_reset(session, code)
    case ("free")
      call MPI_M_free(session, code)
    case ("get_info")
      array_size = -1
      if (argument == "ignore") then
        call MPI_M_get_info(session, MPI_M_INT_IGNORE, MPI_M_INT_IGNORE, code)
      else
        call MPI_M_get_info(session, provided, array_size, code)
        if (code == MPI_SUCCESS .and. array_size /= processes) code = -1
      end if
    case default
      call call_for_data(session)
    end select
  end subroutine

  subroutine call_for_data(session)
    integer, intent(in) :: session
    integer :: root, flags
    character(len=256) :: name
    root = processes - 1
    if (argument == "root_low") root = -1
    if (argument == "root_high") root = processes
    flags = MPI_M_COLL_ONLY
    if (argument == "flags_none") flags = 0
    if (argument == "flags_more") flags = 8
    name = prefix
    if (argument == "no_name") name = ""
    select case (call_name)
    case ("get_data")
      if (argument == "ignore") then
        call MPI_M_get_data(session, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, flags, code)
      else
        call MPI_M_get_data(session, counts, sizes, flags, code)
      end if
    case ("allgather")
      if (argument == "ignore") then
        call MPI_M_allgather_data(session, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, flags, code)
      else
        call MPI_M_allgather_data(session, counts, sizes, flags, code)
      end if
    case ("rootgather")
      if (argument == "ignore") then
        call MPI_M_rootgather_data(session, root, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, flags, code)
      else
        call MPI_M_rootgather_data(session, root, counts, sizes, flags, code)
      end if
    case ("flush")
      call MPI_M_flush(session, name, flags, code)
    case ("rootflush")
      call MPI_M_rootflush(session, root, name, flags, code)
    end select
  end subroutine

  integer function code_of(name)
    character(len=*), intent(in) :: name
    select case (name)
    case ("SUCCESS"); code_of = MPI_SUCCESS
    case ("INTERNAL_FAIL"); code_of = MPI_M_INTERNAL_FAIL
    case ("MPIT_FAIL"); code_of = MPI_M_MPIT_FAIL
    case ("MISSING_INIT"); code_of = MPI_M_MISSING_INIT
    case ("SESSION_STILL_ACTIVE"); code_of = MPI_M_SESSION_STILL_ACTIVE
    case ("SESSION_NOT_SUSPENDED"); code_of = MPI_M_SESSION_NOT_SUSPENDED
    case ("INVALID_MSID"); code_of = MPI_M_INVALID_MSID
    case ("SESSION_OVERFLOW"); code_of = MPI_M_SESSION_OVERFLOW
    case ("MULTIPLE_CALL"); code_of = MPI_M_MULTIPLE_CALL
    case ("INVALID_ROOT"); code_of = MPI_M_INVALID_ROOT
    case default; code_of = -2
    end select
  end function

  subroutine count_broadcast()
    real :: values(10)
    integer :: i
    call MPI_M_init(ierr)
    call must(ierr)
    call MPI_M_start(MPI_COMM_WORLD, id, ierr)
    call must(ierr)
    values = 1.0
    call MPI_Bcast(values, 10, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
    call MPI_M_suspend(id, ierr)
    call must(ierr)
    counts = -1
    sizes = -1
    call MPI_M_allgather_data(id, MPI_M_DATA_IGNORE, sizes, MPI_M_COLL_ONLY, ierr)
    call must(ierr)
    do i = 1, processes * processes
      if (counts(i) /= -1 .or. sizes(i) /= merge(40_long, 0_long, i > 1 .and. i <= processes)) then
        print "(A,I0,A,I0,A,I0)", "errors: element ", i, " of the Bcast is ", counts(i), " and ", sizes(i)
        failures = failures + 1
      end if
    end do
    call MPI_M_free(id, ierr)
    call must(ierr)
    call MPI_M_finalize(ierr)
    call must(ierr)
  end subroutine
end program
