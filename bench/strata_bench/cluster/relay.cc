// Delays every Ethernet frame between pairs of interfaces, and optionally limits the rate.
//
//   relay A:B:DELAY_US[:RATE_MBIT[:QUEUE_BYTES]] ...
//
// Each argument is a link with two independent directions. A frame leaves when it has been serialised
// behind the frames before it (RATE_MBIT, 0: no limit) and the delay has passed. A direction that holds
// QUEUE_BYTES drops arriving frames. Prints "ready" once all interfaces are open. SIGTERM ends it; it then
// writes one line of figures per direction to standard error, in which "late" is the time by which frames
// missed their due time.

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <string>
#include <vector>

namespace {

// PACKET_VNET_HDR puts this before each frame, so that unfinished checksums survive the trip.
constexpr std::int64_t virtio_header_bytes = 10;
// Preamble, frame check sequence and gap: a frame's extra bytes on a wire.
constexpr std::int64_t wire_overhead_bytes = 24;
constexpr std::int64_t default_queue_bytes = 4'000'000;
constexpr int socket_buffer_bytes = 32 << 20;
constexpr int frames_per_turn = 64;  // so that one busy direction does not delay the others

volatile std::sig_atomic_t stopping = 0;

std::int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

struct Frame {
    std::int64_t due_ns;
    std::vector<char> bytes;
};

struct Figures {
    std::int64_t frames = 0, bytes = 0, dropped = 0, failed = 0, late_ns = 0, latest_ns = 0;
};

struct Direction {
    std::string name;
    int receiver, sender;
    std::int64_t delay_ns;
    double ns_per_byte;
    std::int64_t queue_limit;
    std::deque<Frame> queue = {};
    std::int64_t queued_bytes = 0, wire_free_ns = 0;
    Figures figures = {};
};

int open_interface(const std::string& name) {
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
    packet_mreq everything{};
    everything.mr_ifindex = address.sll_ifindex;
    everything.mr_type = PACKET_MR_PROMISC;
    if (fd < 0 || address.sll_ifindex == 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
        bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &everything, sizeof everything) != 0) {
        std::fprintf(stderr, "relay: cannot open %s: %s\n", name.c_str(), std::strerror(errno));
        std::exit(1);
    }
    for (const auto& [forced, modest] :
         {std::pair{SO_RCVBUFFORCE, SO_RCVBUF}, std::pair{SO_SNDBUFFORCE, SO_SNDBUF}}) {
        if (setsockopt(fd, SOL_SOCKET, forced, &socket_buffer_bytes, sizeof socket_buffer_bytes) != 0) {
            setsockopt(fd, SOL_SOCKET, modest, &socket_buffer_bytes, sizeof socket_buffer_bytes);
        }
    }
    return fd;
}

void add_link(const char* text, std::vector<Direction>& directions) {
    char a[IFNAMSIZ] = "", b[IFNAMSIZ] = "";
    double delay_us = 0, rate_mbit = 0;
    long long queue_bytes = default_queue_bytes;
    if (std::sscanf(text, "%15[^:]:%15[^:]:%lf:%lf:%lld", a, b, &delay_us, &rate_mbit, &queue_bytes) < 3) {
        std::fprintf(stderr, "relay: '%s': expected A:B:DELAY_US[:RATE_MBIT[:QUEUE_BYTES]]\n", text);
        std::exit(2);
    }
    const int fd_a = open_interface(a), fd_b = open_interface(b);
    const auto delay_ns = static_cast<std::int64_t>(delay_us * 1000);
    const double ns_per_byte = rate_mbit > 0 ? 8000 / rate_mbit : 0;
    directions.push_back({std::string(a) + ">" + b, fd_a, fd_b, delay_ns, ns_per_byte, queue_bytes});
    directions.push_back({std::string(b) + ">" + a, fd_b, fd_a, delay_ns, ns_per_byte, queue_bytes});
}

void send_due(Direction& direction) {
    auto& [frames, bytes, dropped, failed, late_ns, latest_ns] = direction.figures;
    while (!direction.queue.empty()) {
        const Frame& frame = direction.queue.front();
        const std::int64_t late = now_ns() - frame.due_ns;
        if (late < 0) return;
        if (send(direction.sender, frame.bytes.data(), frame.bytes.size(), 0) < 0) ++failed;
        ++frames;
        const auto size = static_cast<std::int64_t>(frame.bytes.size());
        bytes += size - virtio_header_bytes;
        late_ns += late;
        latest_ns = std::max(latest_ns, late);
        direction.queued_bytes -= size;
        direction.queue.pop_front();
    }
}

void receive_waiting(Direction& direction) {
    static char buffer[1 << 17];
    for (int turn = 0; turn < frames_per_turn; ++turn) {
        const auto size = static_cast<std::int64_t>(recv(direction.receiver, buffer, sizeof buffer, 0));
        if (size <= virtio_header_bytes) return;
        if (direction.queued_bytes + size > direction.queue_limit) {
            ++direction.figures.dropped;
            continue;
        }
        const auto wire_bytes = static_cast<double>(size - virtio_header_bytes + wire_overhead_bytes);
        direction.wire_free_ns = std::max(direction.wire_free_ns, now_ns()) +
                                 static_cast<std::int64_t>(wire_bytes * direction.ns_per_byte);
        direction.queue.push_back({direction.wire_free_ns + direction.delay_ns, {buffer, buffer + size}});
        direction.queued_bytes += size;
    }
}

// Waits for a frame to arrive, the next one to become due, or SIGTERM, which is blocked at all other times.
void wait(const std::vector<Direction>& directions, std::vector<pollfd>& polled) {
    std::int64_t next_ns = INT64_MAX;
    for (const auto& direction : directions) {
        if (!direction.queue.empty()) next_ns = std::min(next_ns, direction.queue.front().due_ns);
    }
    timespec span{};
    sigset_t none;
    sigemptyset(&none);
    if (next_ns != INT64_MAX) {
        const std::int64_t left = std::max<std::int64_t>(0, next_ns - now_ns());
        span = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
    }
    if (ppoll(polled.data(), polled.size(), next_ns == INT64_MAX ? nullptr : &span, &none) < 0) {
        for (auto& entry : polled) entry.revents = 0;
    }
}

void report(const Direction& direction) {
    const Figures& f = direction.figures;
    std::fprintf(stderr,
                 "relay %s: %lld frames, %lld bytes, %lld dropped, %lld not sent, "
                 "late %.1f us on average, %.1f at most\n",
                 direction.name.c_str(), static_cast<long long>(f.frames), static_cast<long long>(f.bytes),
                 static_cast<long long>(f.dropped), static_cast<long long>(f.failed),
                 f.frames ? static_cast<double>(f.late_ns) / 1e3 / static_cast<double>(f.frames) : 0.0,
                 static_cast<double>(f.latest_ns) / 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Direction> directions;
    for (int i = 1; i < argc; ++i) add_link(argv[i], directions);
    if (directions.empty()) {
        std::fprintf(stderr, "usage: relay A:B:DELAY_US[:RATE_MBIT[:QUEUE_BYTES]] ...\n");
        return 2;
    }
    std::vector<pollfd> polled;
    for (const auto& direction : directions) polled.push_back({direction.receiver, POLLIN, 0});

    const sched_param priority{50};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        std::fprintf(stderr, "relay: no real-time priority (%s): delays will vary more on a busy machine\n",
                     std::strerror(errno));
    }
    prctl(PR_SET_TIMERSLACK, 1);
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    sigprocmask(SIG_BLOCK, &terminate, nullptr);
    std::signal(SIGTERM, [](int) { stopping = 1; });
    std::fflush(stderr);
    std::puts("ready");
    std::fflush(stdout);

    while (!stopping) {
        for (auto& direction : directions) send_due(direction);
        wait(directions, polled);
        for (std::size_t i = 0; i < directions.size(); ++i) {
            if (polled[i].revents & POLLIN) receive_waiting(directions[i]);
        }
    }
    for (const auto& direction : directions) report(direction);
}
