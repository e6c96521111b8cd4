#include "strata/algorithms/bcast_levels.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

/// Walks the (step, level) order for one rank.
class LevelPipeline {
public:
    LevelPipeline(LevelGroups& groups, PackedBuffer& buffer, bool is_root, std::size_t segment_bytes)
        : groups_(groups), buffer_(buffer), is_root_(is_root), levels_(groups.levels()) {
        const std::size_t bytes = buffer.bytes();
        segment_ = segment_bytes == 0 ? bytes : std::min(segment_bytes, bytes);
        segments_ = static_cast<long>((bytes - 1) / segment_ + 1);
        // A rank receives once, on its topmost level; below it only passes on.
        while (top_ < levels_ && !groups.member(top_)) {
            ++top_;
        }
    }

    int run() {
        int code = 0;
        for (long step = 0; step < segments_ + levels_ && code == 0; ++step) {
            for (int level = top_; level < levels_ && code == 0; ++level) {
                if (groups_.member(level)) {
                    code = advance(level, step - level);
                }
            }
            if (const long arrived = step - 1 - top_; code == 0 && !is_root_ && exists(arrived)) {
                code = buffer_.consume(end_of(arrived));
            }
        }
        return code;
    }

private:
    bool exists(long segment) const { return segment >= 0 && segment < segments_; }

    std::size_t end_of(long segment) const {
        return segment + 1 == segments_ ? buffer_.bytes() : static_cast<std::size_t>(segment + 1) * segment_;
    }

    /// Ends the level's segment of the last step and starts the next, which the level above has just ended.
    int advance(int level, long segment) {
        if (exists(segment - 1)) {
            if (const int code = groups_.finish(level); code != 0) {
                return code;
            }
        }
        if (!exists(segment)) {
            return 0;
        }
        const std::size_t end = end_of(segment);
        if (is_root_ && end > produced_) {
            if (const int code = buffer_.produce(end); code != 0) {
                return code;
            }
            produced_ = end;
        }
        const std::size_t begin = static_cast<std::size_t>(segment) * segment_;
        return groups_.start(level, buffer_.data() + begin, end - begin);
    }

    LevelGroups& groups_;
    PackedBuffer& buffer_;
    bool is_root_;
    int levels_;
    int top_ = 0;
    std::size_t segment_ = 0;
    long segments_ = 0;
    std::size_t produced_ = 0;
};

}  // namespace

int bcast_levels(LevelGroups& groups, PackedBuffer& buffer, bool is_root, std::size_t segment_bytes) {
    if (buffer.bytes() == 0) {
        return 0;
    }
    const int code = LevelPipeline(groups, buffer, is_root, segment_bytes).run();
    if (code != 0) {
        groups.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
