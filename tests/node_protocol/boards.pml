/* The protocol of algorithms/node/boards.h, as algorithms/engines/node.cc uses it: safety and progress.
 *
 * All ranks perform the same steps. The first rank in a step chooses one:
 *   barrier, allreduce: all ranks publish, and read from all;
 *   bcast: the root publishes; the others read, and end reading;
 *   reduce: all publish; the root reads from all. It ends reading after the last step of its call: here after any.
 * Numbers are relative to the slowest rank's step, so sequences of any length have finitely many states.
 *
 * Proved, for RANKS ranks:
 *   - A rank that waits for another one's data reads those of its own step, neither older nor newer ones.
 *   - All reads of old data happen before the write of new ones.
 *   - Some rank can always continue, and none is more than two steps ahead of another. So all ranks finish every step
 *     if each one that can continue does.
 *
 * Memory: release and acquire as in C++, or weaker. If a flag is stored with release and loaded with acquire, the data
 * accesses before the store happen before those after the load. Otherwise data may be older than the number, and a
 * write may overtake earlier reads. A load returns any number that the flag's rank has stored so far, even an older one
 * than the load before; a rank that waits sees the newest one in the end. What a rank acquires from a second one does
 * not order the stores of a third, so machines are included on which a store reaches other processors at different
 * times.
 *
 * Not covered: more ranks; overflow of the numbers; ranks that stop, or whose calls do not match.
 *
 * Macros build a mistake in, each of which spin has to find: check_boards.py. */
#ifdef ONE_SLOT /* both parities share one */
#define SLOTS 1
#else
#define SLOTS 2
#endif
#ifdef ROOM_EARLY
#define KEPT 3
#elif defined(ROOM_LATE)
#define KEPT 1
#else
#define KEPT 2
#endif
#ifdef ROOM_OTHER_SLOT
#define ROOM_SLOT slot(STEP)
#else
#define ROOM_SLOT slot(STEP + SLOTS - 1) /* of step - 1 */
#endif
#ifdef ROOM_COUNTS_PUBLISHED /* as read */
#define read_before(number) (number)
#else
#define read_before(number) less_one(number)
#endif
#ifdef PUBLISH_RELAXED
#define WAIT_RELAXED
#define ROOM_PUBLISHED_RELAXED
#endif
#ifdef END_RELAXED
#define ROOM_READ_RELAXED
#endif

#define FIRST 3 /* the slowest rank's step, after its first ones */
#ifndef AHEAD
#define AHEAD 2 /* at most, of one rank over another */
#endif
#define STEPS 8
#define UNKNOWN 0

#define bit(rank) (1 << (rank))
#define ALL (bit(RANKS) - 1)
#define slot(step) ((step) % SLOTS)
#define max(a, b) ((a) > (b) -> (a) : (b))
#define less_one(number) ((number) > 0 -> (number) - 1 : 0)

typedef Board {
    byte step;         /* of its rank */
    byte known[RANKS]; /* Boards::known_ */
    byte data[SLOTS];  /* the step that wrote them */
    byte racing[SLOTS] /* ranks that have read them, unless this rank has acquired something later from them */
};
Board board[RANKS];
byte publishers[STEPS]; /* by step, sets of ranks: those that publish in it */
byte readers[STEPS];
byte published[STEPS];  /* those whose published[step % 2].number has been `step` */
byte ended[STEPS];      /* those whose read.number has been `step` */

#define ME board[me]
#define STEP board[me].step

/* Moments of a rank: its stores in program order. It reads between the two of a step. */
#define publishing(step) (2 * (step))
#define ending(step) (2 * (step) + 1)

inline acquire(rank, moment) {
    d_step {
        for (i : 0 .. SLOTS - 1) {
            if
            :: moment > publishing(ME.data[i]) -> ME.racing[i] = ME.racing[i] & ~bit(rank)
            :: else
            fi
        }
        i = 0
    }
}

/* What loads of a rank's numbers may return. */
#define in_slot(rank, s) (s == 0 || (slot(s) == ROOM_SLOT && (published[s] & bit(rank))))
#define has_ended(rank, s) (s == 0 || (ended[s] & bit(rank)))

#define enough(number) ((number) + KEPT >= STEP)
#define in_slot_enough(rank, s) (in_slot(rank, s) && enough(read_before(s)))
#define ended_enough(rank, s) (has_ended(rank, s) && enough(s))
#define any(condition, rank) (condition(rank, 1) || condition(rank, 2) || condition(rank, 3) || \
                              condition(rank, 4) || condition(rank, 5) || condition(rank, 6) || \
                              condition(rank, 7))

/* Boards::Room. What a failing poll learns, the last one can learn, too: a rank waits until a poll can succeed. */
#define may_have_room(rank) (rank == me || enough(ME.known[rank]) || any(ended_enough, rank) || \
                             any(in_slot_enough, rank))
#if RANKS == 2
#define may_have_room_of_all (may_have_room(0) && may_have_room(1))
#else
#define may_have_room_of_all (may_have_room(0) && may_have_room(1) && may_have_room(2))
#endif

/* Boards::has_room(): two loads, after which it is true. */
#define load_published(s) in_slot(other, s) && (enough(read_before(s)) || any(ended_enough, other)) -> number = s
#define load_read(s) has_ended(other, s) && enough(max(ME.known[other], s)) -> number = s

inline has_room() {
    if
    :: other == me || enough(ME.known[other])
    :: else ->
        if
        :: load_published(0) :: load_published(1) :: load_published(2) :: load_published(3)
        :: load_published(4) :: load_published(5) :: load_published(6) :: load_published(7)
        fi;
#ifndef ROOM_PUBLISHED_RELAXED
        acquire(other, publishing(number));
#endif
        ME.known[other] = max(ME.known[other], read_before(number));
        if
        :: load_read(0) :: load_read(1) :: load_read(2) :: load_read(3)
        :: load_read(4) :: load_read(5) :: load_read(6) :: load_read(7)
        fi;
#ifndef ROOM_READ_RELAXED
        if
        :: number > 0 -> acquire(other, ending(number))
        :: else
        fi;
#endif
        ME.known[other] = max(ME.known[other], number);
        number = 0
    fi
}

/* room(), writes to own(), publish() */
inline publish() {
#ifndef NO_ROOM
    may_have_room_of_all;
    do
    :: other < RANKS -> has_room(); other++
    :: else -> other = 0; break
    od;
#endif
    assert(ME.racing[slot(STEP)] == 0);
    ME.data[slot(STEP)] = STEP;
    published[STEP] = published[STEP] | bit(me);
    printf("rank %d publishes in step %d\n", me, STEP)
}

/* published_by(other), reads data(other) */
inline read() {
#ifdef WAIT_OLDER
    (published[STEP] & bit(other)) || (STEP > 2 && (published[STEP - 2] & bit(other)));
#else
    published[STEP] & bit(other);
#endif
#ifdef WAIT_KNOWS_STEP
    ME.known[other] = STEP;
#else
    ME.known[other] = STEP - 1;
#endif
    number = board[other].data[slot(STEP)];
#ifdef WAIT_RELAXED
    if
    :: true
    :: number = 0 /* not yet visible */
    fi;
#else
    acquire(other, publishing(STEP));
#endif
    printf("rank %d reads from rank %d in step %d: data of step %d\n", me, other, STEP, number);
    assert(number == STEP);
    number = 0;
    board[other].racing[slot(STEP)] = board[other].racing[slot(STEP)] | bit(me)
}

inline end_reading() {
    ended[STEP] = ended[STEP] | bit(me);
    printf("rank %d ends reading step %d\n", me, STEP)
}

inline read_all() {
    do
    :: other < RANKS ->
        if
        :: other != me && (publishers[STEP] & bit(other)) -> read()
        :: else
        fi;
        other++
    :: else -> other = 0; break
    od
}

inline swap(x, y) {
    i = x; x = y; y = i
}

/* Subtracts 1 from all numbers, which exchanges the slots. */
inline renumber() {
    for (other : 0 .. RANKS - 1) {
        board[other].step--;
        for (i : 0 .. RANKS - 1) { board[other].known[i] = less_one(board[other].known[i]) }
        for (i : 0 .. SLOTS - 1) { board[other].data[i] = less_one(board[other].data[i]) }
        swap(board[other].data[0], board[other].data[SLOTS - 1]);
        swap(board[other].racing[0], board[other].racing[SLOTS - 1])
    }
    for (i : 1 .. STEPS - 2) {
        publishers[i] = publishers[i + 1];
        readers[i] = readers[i + 1];
        published[i] = published[i + 1];
        ended[i] = ended[i + 1]
    }
    publishers[STEPS - 1] = UNKNOWN;
    readers[STEPS - 1] = 0;
    published[STEPS - 1] = 0;
    ended[STEPS - 1] = 0
}

inline forget(number, up_to) {
    if
    :: number <= up_to -> number = 0
    :: else
    fi
}

/* Sets numbers to 0 that are too old to decide a condition above. */
inline forget_old() {
    for (other : 0 .. RANKS - 1) {
        for (i : 0 .. RANKS - 1) { forget(board[other].known[i], board[other].step - KEPT - 1) }
        for (i : 0 .. SLOTS - 1) { forget(board[other].data[i], first - 2) }
    }
    for (i : 1 .. first - 1) {
        publishers[i] = UNKNOWN;
        readers[i] = 0;
        if
        :: i < first + 1 - KEPT -> published[i] = 0
        :: else
        fi;
        if
        :: i < first - KEPT -> ended[i] = 0
        :: else
        fi
    }
}

inline next_step() {
    d_step {
        STEP++;
        first = STEP;
        for (other : 0 .. RANKS - 1) {
            if
            :: board[other].step < first -> first = board[other].step
            :: else
            fi
        }
        assert(STEP <= first + AHEAD);
        if
        :: first > FIRST -> first--; renumber()
        :: else
        fi;
        forget_old();
        first = 0;
        other = 0;
        i = 0
    }
}

inline choose_step() {
    select (i : 0 .. RANKS - 1);
    if
    :: i == 0 -> publishers[STEP] = ALL; readers[STEP] = ALL; printf("step %d: barrier or allreduce\n", STEP)
    :: publishers[STEP] = bit(i); readers[STEP] = ALL - bit(i); printf("step %d: bcast of rank %d\n", STEP, i)
    :: publishers[STEP] = ALL; readers[STEP] = bit(i); printf("step %d: reduce to rank %d\n", STEP, i)
    fi;
    i = 0
}

/* Between its stores a rank may wait for as long as the others let it. It reads at the end of a step, the worst moment:
 * others see that it has read only from its next store. */
proctype rank(byte me) {
    byte first, i, number, other;

    do
    :: atomic {
           if
           :: publishers[STEP] == UNKNOWN -> choose_step()
           :: else
           fi;
           if
           :: publishers[STEP] & bit(me) -> publish()
#ifdef END_EARLY
           :: else -> end_reading()
#else
           :: else
#endif
           fi
       }
       atomic {
           if
           :: readers[STEP] & bit(me) -> read_all()
           :: else
           fi;
           if
#if defined(NO_END) || defined(END_EARLY)
           :: !(publishers[STEP] & bit(me))
#else
           :: !(publishers[STEP] & bit(me)) -> end_reading()
#endif
           :: publishers[STEP] & bit(me)
           :: publishers[STEP] == ALL && readers[STEP] == bit(me) -> end_reading()
           fi;
           next_step()
       }
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. RANKS - 1) { board[i].step = 1; run rank(i) }
        i = 0
    }
}
