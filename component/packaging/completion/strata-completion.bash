# Completion in bash for the strata- commands. Each command lists its own options with --completion, a line each:
# the name, the kind of its value if it has one, and words for the value. A line COMMAND: a job's command follows.

# Succeeds if a job's command begins at or before the current word; sets `start` to its place.
_strata_find_command() {
    local place word
    for ((place = 1; place <= COMP_CWORD; place++)); do
        word=${COMP_WORDS[place]}
        if [[ $word == -- && $place -lt $COMP_CWORD ]]; then
            start=$((place + 1))
            return 0
        elif [[ -n $word && -n ${kinds[$word]-} ]]; then # an empty subscript is an error
            ((++place)) # its value
        elif [[ -v 'kinds[COMMAND]' && $word != -* ]]; then
            start=$place
            return 0
        fi
    done
    return 1
}

_strata_complete() {
    local word=$2 before=$3 name kind list start head=
    local -A kinds=() words=()
    while read -r name kind list; do
        kinds[$name]=$kind words[$name]=$list
    done < <("$1" --completion 2>/dev/null)
    COMPREPLY=()
    if _strata_find_command; then
        if ((start == COMP_CWORD)); then
            mapfile -t COMPREPLY < <(compgen -c -- "$word")
        elif declare -F _command_offset >/dev/null; then
            _command_offset "$start"
        fi
        return
    fi
    # Bash makes a word of its own of the = in --option=value.
    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $word != = ]] || word=
    if [[ -n ${kinds[$before]-} ]]; then
        [[ $word != *,* ]] || head=${word%,*},
        mapfile -t COMPREPLY < <(compgen -P "$head" -W "${words[$before]}" -- "${word##*,}")
    elif [[ $word == -* ]]; then
        unset 'kinds[COMMAND]'
        mapfile -t COMPREPLY < <(compgen -W "${!kinds[*]}" -- "$word")
    fi # else file names
}

complete -o default -F _strata_complete strata-explain strata-info strata-monitor strata-reorder strata-report \
    strata-topo strata-traffic
