! barrier_messages: prints the messages of an MPI_Barrier as a table by sender and receiver.
!
!     strata-monitor mpirun -n 4 ./barrier_messages
!
! Exit status 77 if messages are not counted.
program barrier_messages
  use mpi
  use MPI_Monitoring
  use, intrinsic :: iso_c_binding, only: c_long
  implicit none
  integer :: id, rank, ranks, receiver, sender, ierr
  integer(c_long), allocatable :: counts(:, :)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_M_init(ierr)
  if (ierr /= MPI_SUCCESS) then
    call MPI_Finalize(ierr)
    stop 77
  end if
  call MPI_M_start(MPI_COMM_WORLD, id, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_M_suspend(id, ierr)

  allocate(counts(ranks, ranks))   ! counts(receiver, sender)
  call MPI_M_rootgather_data(id, 0, counts, MPI_M_DATA_IGNORE, MPI_M_P2P_ONLY, ierr)
  if (ierr == MPI_SUCCESS .and. rank == 0) then
    do sender = 1, ranks
      print '(a, i4, a, *(i3))', 'rank', sender - 1, ' sends to each:', (counts(receiver, sender), receiver = 1, ranks)
    end do
  end if
  call MPI_M_free(id, ierr)
  call MPI_M_finalize(ierr)
  call MPI_Finalize(ierr)
end program barrier_messages
