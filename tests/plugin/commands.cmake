# Tests of the commands around the plugin, their pages, and the installation.
strata_plugin_test(host_name host_name.py TIMEOUT 120)
strata_plugin_test(can_fail.host_name host_name.py can_fail TIMEOUT 120
                   MUST_PRINT "named localhost prints .. about its")

# Reports that users send.
strata_plugin_test(report report.py "coll: strata" TIMEOUT 300 RANKS 4 LONG)
strata_plugin_test(info info.py "coll: strata" TIMEOUT 300 RANKS 4 LONG)
strata_plugin_test(can_fail.info info.py "no such text" TIMEOUT 300 RANKS 4 MUST_PRINT "'no such text' is missing")
strata_plugin_test(can_fail.report report.py "no such text" TIMEOUT 300 RANKS 4 MUST_PRINT "'no such text' is missing")

# Their pages. Rendering needs Chromium.
strata_plugin_test(page.content page.py content TIMEOUT 300 RANKS 4 LONG)
strata_plugin_test(page.commands page.py commands TIMEOUT 600 RANKS 4 LONG)
strata_plugin_test(can_fail.page.content page.py content slower TIMEOUT 300 RANKS 4
                   MUST_PRINT "the text of the job lacks bcast .*'61[.]5 - ")
strata_plugin_test(can_fail.page.content.tighter page.py content tighter TIMEOUT 300 RANKS 4
                   MUST_PRINT "the lower bound is [0-9]+ % of the fastest call, strata-explain has")
strata_plugin_test(page.escaping page.py escaping TIMEOUT 60)
strata_plugin_test(can_fail.page.escaping page.py escaping raw TIMEOUT 60 MUST_PRINT "the page has an element script")
strata_plugin_test(page.rendering page.py rendering TIMEOUT 240)
strata_plugin_test(can_fail.page.rendering.wide page.py rendering wide TIMEOUT 240
                   MUST_PRINT "is [0-9]+ pixels wide at 400")
strata_plugin_test(can_fail.page.rendering.empty page.py rendering empty TIMEOUT 240
                   MUST_PRINT "the page lacks 'Choices'")
strata_plugin_test(can_fail.page.rendering.loud page.py rendering loud TIMEOUT 240
                   MUST_PRINT "prints .*no-such-picture")

# The installation.
strata_plugin_test(install.folder install.py folder TIMEOUT 240 RANKS 2)
strata_plugin_test(install.prefix install.py prefix TIMEOUT 240 RANKS 2 SERIAL)
strata_plugin_test(can_fail.install install.py unseen TIMEOUT 240 RANKS 2
                   MUST_PRINT "a plain job: 0 ranks have the plugin, expected 2")
strata_plugin_test(install.module install.py module TIMEOUT 240 RANKS 2)
strata_plugin_test(install.spack install.py spack TIMEOUT 60)
strata_plugin_test(can_fail.install.spack install.py unlisted TIMEOUT 60
                   MUST_PRINT "the recipe does not depend on openmpi@4.1.0:4.1.9")
strata_plugin_test(install.system install.py system TIMEOUT 120 RANKS 2 SERIAL)
strata_plugin_test(install.packages install.py packages TIMEOUT 300 RANKS 4 SERIAL)
strata_plugin_test(install.lintian packages.py TIMEOUT 600 LOCK packages)
strata_plugin_test(can_fail.install.lintian packages.py can_fail TIMEOUT 300 LOCK packages
                   MUST_PRINT "E: .*-dev: uncompressed-manual-page.*uninstalling would remove the .*_dev.txt")

# The installed commands. They share the build folder's list of installed files.
strata_plugin_test(commands.options commands.py options TIMEOUT 120 LOCK packages)
strata_plugin_test(commands.complete commands.py complete TIMEOUT 120 LOCK packages)
strata_plugin_test(can_fail.commands.also commands.py options --also=--no-such TIMEOUT 120 LOCK packages
                   MUST_PRINT "strata-topo.1.: only there .'--no-such'., missing ..")
strata_plugin_test(can_fail.commands.without commands.py options --without=--output TIMEOUT 120 LOCK packages
                   MUST_PRINT "strata-reorder.1.: only there .., missing .'--output'.")
strata_plugin_test(can_fail.commands.unoffered commands.py options --unoffered=--quiet TIMEOUT 120 LOCK packages
                   MUST_PRINT "completion of strata-info: only there .., missing .'--quiet'.")
strata_plugin_test(can_fail.commands.complete commands.py complete --expect allsort TIMEOUT 120 LOCK packages
                   MUST_PRINT "--op all: bash offers .*, expected .*allsort")
