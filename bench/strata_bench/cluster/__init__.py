"""The emulated cluster, `bench/cluster`. README.md explains how it is made."""
