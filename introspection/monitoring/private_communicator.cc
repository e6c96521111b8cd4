#include "private_communicator.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

namespace strata::introspection {

namespace {

constexpr int tag_limit = 32000;                      // every MPI allows tags below it
constexpr std::size_t words_per_message = 1UL << 27;  // 1 GiB

/// Attribute value of a user's communicator.
struct Attached {
    MPI_Comm user;
    std::shared_ptr<PrivateCommunicator> communicator;
};

std::mutex attached_lock;
std::vector<Attached*>& attached =
    *new std::vector<Attached*>;  // never destroyed: MPI may use it until the process ends
int key = MPI_KEYVAL_INVALID;

int detach(MPI_Comm, int, void* value, void*) {
    auto* entry = static_cast<Attached*>(value);
    {
        const std::lock_guard guard(attached_lock);
        std::erase(attached, entry);
    }
    delete entry;
    return MPI_SUCCESS;
}

bool make_key() {
    const std::lock_guard guard(attached_lock);
    return key != MPI_KEYVAL_INVALID ||
           MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detach, &key, nullptr) == MPI_SUCCESS;
}

std::vector<int> ranks_in_world(MPI_Group group, int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
        ranks[static_cast<std::size_t>(i)] = i;
    }
    std::vector<int> translated(ranks.size(), -1);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, size, ranks.data(), world, translated.data());
    MPI_Group_free(&world);
    std::replace_if(
        translated.begin(), translated.end(), [](int rank) { return rank < 0; }, -1);
    return translated;
}

}  // namespace

std::shared_ptr<PrivateCommunicator> PrivateCommunicator::of(
    MPI_Comm comm, Recorder& recorder, const std::shared_ptr<PrivateCommunicator>& carrier) {
    if (!make_key()) {
        return nullptr;
    }
    void* value = nullptr;
    int found = 0;
    if (MPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) {
        return nullptr;
    }
    if (found != 0) {
        return static_cast<Attached*>(value)->communicator;
    }
    auto made = std::make_shared<PrivateCommunicator>(comm, recorder, carrier);
    if (made->carrying() == MPI_COMM_NULL) {
        return nullptr;
    }
    auto entry = std::make_unique<Attached>(Attached{comm, made});
    {
        const std::lock_guard guard(attached_lock);
        attached.push_back(entry.get());
    }
    if (MPI_Comm_set_attr(comm, key, entry.get()) != MPI_SUCCESS) {
        detach(comm, key, entry.release(), nullptr);
        return nullptr;
    }
    entry.release();
    return made;
}

void PrivateCommunicator::forget_all() {
    // In the order of creation. Several threads may have created them in different orders on different
    // processes; Open MPI's MPI_Comm_free does not wait, so that own communicators may be freed in any
    // order.
    for (;;) {
        MPI_Comm user = MPI_COMM_NULL;
        {
            const std::lock_guard guard(attached_lock);
            if (attached.empty()) {
                break;
            }
            user = attached.front()->user;
        }
        if (MPI_Comm_delete_attr(user, key) != MPI_SUCCESS) {
            break;
        }
    }
    if (key != MPI_KEYVAL_INVALID) {
        MPI_Comm_free_keyval(&key);
    }
}

PrivateCommunicator::PrivateCommunicator(MPI_Comm comm, Recorder& recorder,
                                         std::shared_ptr<PrivateCommunicator> carrier)
    : recorder_(recorder) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    MPI_Group_size(group, &size_);
    MPI_Group_rank(group, &rank_);
    world_ranks_ = ranks_in_world(group, size_);
    if (std::find(world_ranks_.begin(), world_ranks_.end(), -1) == world_ranks_.end()) {
        carrier_ = std::move(carrier);
    }
    if (carrier_ == nullptr) {
        const UnrecordedScope hidden(recorder_);
        // MPI_Comm_dup would call the copy functions of the user's attributes.
        if (MPI_Comm_create(comm, group, &comm_) != MPI_SUCCESS) {
            comm_ = MPI_COMM_NULL;
        }
    }
    MPI_Group_free(&group);
    if (comm_ != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
}

PrivateCommunicator::~PrivateCommunicator() {
    int over = 0;
    MPI_Finalized(&over);
    if (comm_ != MPI_COMM_NULL && over == 0) {
        const UnrecordedScope hidden(recorder_);
        MPI_Comm_free(&comm_);
    }
}

int PrivateCommunicator::next_tag() {
    tags_ = tags_ % tag_limit + 1;
    return tags_;
}

bool PrivateCommunicator::start_send(int to, int tag, const unsigned long* data, int words,
                                     MPI_Request* request) {
    const std::size_t bytes = static_cast<std::size_t>(words) * sizeof(unsigned long);
    return recorder_.send_unrecorded(world_ranks_[static_cast<std::size_t>(to)], bytes, [&] {
        return MPI_Isend(data, words, MPI_UNSIGNED_LONG, address(to), tag, carrying(), request);
    }) == MPI_SUCCESS;
}

bool PrivateCommunicator::send(int to, int tag, const unsigned long* data, std::size_t words) {
    for (std::size_t done = 0; done < words; done += words_per_message) {
        const int part = static_cast<int>(std::min(words - done, words_per_message));
        MPI_Request request = MPI_REQUEST_NULL;
        if (!start_send(to, tag, data + done, part, &request) ||
            MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return false;
        }
    }
    return true;
}

bool PrivateCommunicator::receive(int from, int tag, unsigned long* data, std::size_t words) {
    for (std::size_t done = 0; done < words; done += words_per_message) {
        const int part = static_cast<int>(std::min(words - done, words_per_message));
        if (MPI_Recv(data + done, part, MPI_UNSIGNED_LONG, address(from), tag, carrying(),
                     MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return false;
        }
    }
    return true;
}

bool PrivateCommunicator::agree(int tag, Values& values) {
    std::array<unsigned long, std::tuple_size_v<Values>> words{};
    // Reduces along a binomial tree, then broadcasts.
    for (int bit = 1; bit < size_; bit <<= 1) {
        if ((rank_ & bit) != 0) {
            std::copy(values.begin(), values.end(), words.begin());
            if (!send(rank_ - bit, tag, words.data(), words.size())) {
                return false;
            }
            break;
        }
        if (rank_ + bit < size_) {
            if (!receive(rank_ + bit, tag, words.data(), words.size())) {
                return false;
            }
            for (std::size_t i = 0; i < words.size(); ++i) {
                values[i] = std::max(values[i], static_cast<long>(words[i]));
            }
        }
    }
    std::copy(values.begin(), values.end(), words.begin());
    if (!broadcast(tag, words.data(), words.size())) {
        return false;
    }
    std::transform(words.begin(), words.end(), values.begin(),
                   [](unsigned long w) { return static_cast<long>(w); });
    return true;
}

bool PrivateCommunicator::gather(int tag, int root, const unsigned long* own, std::size_t words,
                                 unsigned long* all) {
    if (rank_ != root) {
        return send(root, tag, own, words);
    }
    bool good = true;
    for (int from = 0; from < size_; ++from) {
        unsigned long* row = all + static_cast<std::size_t>(from) * words;
        if (from == root) {
            std::copy(own, own + words, row);
        } else {
            good = receive(from, tag, row, words) && good;
        }
    }
    return good;
}

bool PrivateCommunicator::broadcast(int tag, unsigned long* data, std::size_t words) {
    // The lowest set bit of a rank leads to its parent.
    const int low = rank_ & -rank_;
    if (rank_ != 0 && !receive(rank_ - low, tag, data, words)) {
        return false;
    }
    const int top = rank_ != 0 ? low : static_cast<int>(std::bit_ceil(static_cast<unsigned>(size_)));
    for (int bit = top >> 1; bit > 0; bit >>= 1) {
        if (rank_ + bit < size_ && !send(rank_ + bit, tag, data, words)) {
            return false;
        }
    }
    return true;
}

bool PrivateCommunicator::exchange(int tag, const unsigned long* to, unsigned long* from, std::size_t words) {
    const auto row = [&](int rank) { return static_cast<std::size_t>(rank) * words; };
    std::copy(to + row(rank_), to + row(rank_) + words, from + row(rank_));
    for (int step = 1; step < size_; ++step) {
        const int next = (rank_ + step) % size_;
        const int previous = (rank_ - step + size_) % size_;
        MPI_Request request = MPI_REQUEST_NULL;
        if (!start_send(next, tag, to + row(next), static_cast<int>(words), &request) ||
            !receive(previous, tag, from + row(previous), words) ||
            MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return false;
        }
    }
    return true;
}

}  // namespace strata::introspection
