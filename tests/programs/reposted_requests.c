/* Rank 0 holds a conversation of four rounds with each other rank, all at once: it goes from one to the next, makes the requests of a
 * round, or looks whether they are complete. So several handles may be free before the next request is made. The handles of a
 * conversation are kept in one place, and whatever order requests end in, those of one conversation must be the same afterwards as
 * they would be after any other order; else there are several times as many states, by which numbers are mixed among the
 * conversations. The sum is the same in every order. */
/* explore: ranks=3 verdict=race-free states=1500 proof=state-graph */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum { PARTNERS = 2, ROUNDS = 4 };

static struct conversation {
    bool asked;
    int round, question, answer;
    MPI_Request asking, answered;
} conversation[PARTNERS];

static void ask(int partner) {
    struct conversation *with = &conversation[partner];
    with->asked = true;
    with->question = 10 * partner + with->round;
    MPI_Irecv(&with->answer, 1, MPI_INT, partner + 1, 0, MPI_COMM_WORLD, &with->answered);
    MPI_Isend(&with->question, 1, MPI_INT, partner + 1, 0, MPI_COMM_WORLD, &with->asking);
}

static bool is_over(MPI_Request *request) {
    int is_complete = 1;
    if (*request != MPI_REQUEST_NULL)
        MPI_Test(request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete;
}

/* Both are looked at, in this order. */
static bool round_is_over(struct conversation *with) {
    const bool is_answered = is_over(&with->answered), is_sent = is_over(&with->asking);
    return is_answered && is_sent;
}

static int talk(void) {
    int sum = 0;
    for (int over = 0, partner = 0; over < PARTNERS; partner = (partner + 1) % PARTNERS) {
        struct conversation *with = &conversation[partner];
        if (with->round == ROUNDS)
            continue;
        if (!with->asked) {
            ask(partner);
        } else if (round_is_over(with)) {
            sum += with->answer;
            with->answer = 0;
            with->asked = false;
            over += ++with->round == ROUNDS;
        }
    }
    return sum;
}

static void answer(void) {
    for (int round = 0; round < ROUNDS; round++) {
        int question;
        MPI_Recv(&question, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        question = 2 * question + 1;
        MPI_Ssend(&question, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        answer();
    else
        printf("%d\n", talk());
    MPI_Finalize();
    return 0;
}
