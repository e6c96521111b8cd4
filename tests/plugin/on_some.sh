#!/bin/sh
# on_some.sh rank=1,4|host=n2,n3|lowest=n2,n3 NAME=VALUE... -- PROGRAM ARGUMENTS
# Runs the program; on the named ranks or nodes, or on the lowest rank of each of the nodes, alone with these variables in its environment.
where=${1%%=*}
names=,${1#*=},
shift
case $where in
    rank) own=$OMPI_COMM_WORLD_RANK ;;
    host) own=$(cat /proc/sys/kernel/hostname) ;;
    lowest)
        own=
        if [ "$OMPI_COMM_WORLD_LOCAL_RANK" = 0 ]; then own=$(cat /proc/sys/kernel/hostname); fi ;;
    *) echo "on_some.sh: unknown selection '$where'; known: rank, host, lowest" >&2; exit 2 ;;
esac
while [ "$1" != -- ]; do
    case $names in
        *,"$own",*) export "$1" ;;
    esac
    shift
done
shift
exec "$@"
