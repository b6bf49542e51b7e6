// Numbers between ranks, by MPI: a module of its own, so that the program needs no MPI where there is none (crew.c).
#include "studies/study.h"

#include <mpi.h>
#include <unistd.h>

const StudyMessages* studyGetMessages(void);

static bool start(int* rank, int* count)
{
    return MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static void sendNumber(int rank, int tag, int value)
{
    MPI_Send(&value, 1, MPI_INT, rank, tag, MPI_COMM_WORLD); // small: it does not wait for the other side
}

static bool receiveNumber(int tag, int* rank, int* value)
{
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) {
        return false;
    }
    *rank = status.MPI_SOURCE;
    MPI_Recv(value, 1, MPI_INT, *rank, tag, MPI_COMM_WORLD, &status);
    return true;
}

static void end(void)
{
    MPI_Finalize();
}

const StudyMessages* studyGetMessages(void)
{
    static const StudyMessages messages = {start, sendNumber, receiveNumber, end};
    return &messages;
}
