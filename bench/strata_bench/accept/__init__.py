"""Acceptance for a site, `bench/accept`: is the plugin on, right, as fast as without it, and does a job start as fast.

command_line    options and the sequence of checks
checks          the checks by jobs of their own; the speed is bench/compare's to judge
page            the page to keep, as text and HTML
"""
