#pragma once
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <limits>
#include <utility>

#include "algorithms/base/arena.h"

namespace strata::algorithms {

/// The code of an operation that has not finished: poll it again. No other code has this value.
inline constexpr int under_way = std::numeric_limits<int>::min();

/// An operation that a task can await without a coroutine of its own. `Self` has `int poll()`, which
/// advances as far as possible and returns a code, or `under_way` if it has to be called again. `co_await`
/// returns the code.
template <class Self>
class Awaitable {
public:
    Awaitable() = default;
    Awaitable(const Awaitable&) = delete;
    Awaitable& operator=(const Awaitable&) = delete;

    bool await_ready() {
        code_ = static_cast<Self*>(this)->poll();
        return code_ != under_way;
    }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> task) noexcept {
        task.promise().run->polled = this;
        task.promise().run->poll = [](void* self) { return static_cast<Awaitable*>(self)->await_ready(); };
    }
    int await_resume() const noexcept { return code_; }

private:
    int code_ = under_way;
};

template <class T>
concept LendsFrames = requires(T& one) {
    { one.frames() } -> std::same_as<Arena&>;
};

/// A coroutine that may have to wait, and returns a code. One of its parameters is an Arena& or LendsFrames;
/// its frame lies in that arena. It runs after start(), or when another task awaits it. Create all tasks of a
/// call before the first message: a rank without memory could not leave later, because others wait for it. An
/// exception ends the task and those that await it, and reaches the caller of start(), progress() or run();
/// no task catches it.
class [[nodiscard]] Task {
public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    /// Makes a completed task.
    explicit Task(int code) : code_(code) {}
    /// Only before start().
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), code_(other.code_) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    /// Runs the task until it is done or has to wait. Call it once.
    void start();
    /// Continues until the task is done or has to wait again. Call it after start().
    void progress() {
        while (!done() && run_.poll(run_.polled)) run_.innermost.resume();
    }
    bool done() const { return !handle_ || handle_.done(); }
    /// Returns the code of the task, once done().
    int outcome() const;
    /// Starts the task, continues until it is done, and returns outcome().
    int run() {
        start();
        while (!done()) progress();
        return outcome();
    }

    // co_await returns outcome().
    bool await_ready() const noexcept { return !handle_; }
    Handle await_suspend(Handle outer) noexcept;
    int await_resume() const noexcept { return outcome(); }

private:
    template <class>
    friend class Awaitable;
    /// State of the outermost task: the point where it and its awaited tasks have stopped.
    struct Run {
        Handle innermost;
        bool (*poll)(void*) = nullptr;
        void* polled = nullptr;
    };
    explicit Task(Handle handle) : handle_(handle) {}

    Handle handle_;
    int code_ = 0;
    Run run_;
};

struct Task::promise_type {
    /// Returns to the task that awaits this one.
    struct Final {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle task) const noexcept {
            const promise_type& own = task.promise();
            if (!own.outer) return std::noop_coroutine();
            own.run->innermost = own.outer;
            return own.outer;
        }
        void await_resume() const noexcept {}
    };

    template <class... Parameters>
    requires(((std::same_as<Parameters, Arena> || LendsFrames<Parameters>) || ...)) static void* operator new(
        std::size_t bytes, Parameters&... parameters) {
        Arena* arena = nullptr;
        ((arena = arena != nullptr ? arena : arena_in(parameters)), ...);
        return arena->take(bytes);
    }
    static void operator delete(void*, std::size_t) noexcept {}

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void return_value(int code) noexcept { outcome = code; }
    [[noreturn]] void unhandled_exception() const { throw; }

    int outcome = 0;
    Run* run = nullptr;
    Handle outer;

private:
    static Arena* arena_in(Arena& arena) { return &arena; }
    template <class Other>
    static Arena* arena_in([[maybe_unused]] Other& other) {
        if constexpr (LendsFrames<Other>) {
            return &other.frames();
        } else {
            return nullptr;
        }
    }
};

inline void Task::start() {
    if (done()) return;
    run_.innermost = handle_;
    handle_.promise().run = &run_;
    handle_.resume();
}

inline int Task::outcome() const { return handle_ ? handle_.promise().outcome : code_; }

inline Task::Handle Task::await_suspend(Handle outer) noexcept {
    promise_type& own = handle_.promise();
    own.outer = outer;
    own.run = outer.promise().run;
    own.run->innermost = handle_;
    return handle_;
}

}  // namespace strata::algorithms
