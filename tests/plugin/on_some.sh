#!/bin/sh
# on_some.sh rank=1,4|host=n2,n3 NAME=VALUE... -- PROGRAM ARGUMENTS
# Runs the program; on the named ranks or nodes alone with these variables in its environment.
where=${1%%=*}
names=,${1#*=},
shift
case $where in
    rank) own=$OMPI_COMM_WORLD_RANK ;;
    host) own=$(cat /proc/sys/kernel/hostname) ;;
    *) echo "on_some.sh: unknown selection '$where'; known: rank, host" >&2; exit 2 ;;
esac
while [ "$1" != -- ]; do
    case $names in
        *,"$own",*) export "$1" ;;
    esac
    shift
done
shift
exec "$@"
