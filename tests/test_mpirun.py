"""Tests of mpirun.sh, with a program in place of mpirun."""
import os
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpirun.sh")
# Prints its folder, then lives until its input ends, like mpirun's last process.
STAND_IN = ("sh", "-c", 'echo "$OMPI_MCA_btl_sm_backing_directory $*"; read line; exit 3', "sh", "two words", "last")


class Jobs(unittest.TestCase):
    def setUp(self):
        below = tempfile.TemporaryDirectory()
        self.addCleanup(below.cleanup)
        self.environment = {**os.environ, "STRATA_TESTS_SHM": below.name}

    def start(self):
        job = subprocess.Popen(["sh", SCRIPT, *STAND_IN], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(job.communicate)
        return job

    def folder(self, job):
        folder, arguments = job.stdout.readline().rstrip("\n").split(" ", 1)
        self.assertEqual(arguments, "two words last")
        self.assertTrue(os.path.isdir(folder), folder)
        return folder

    def test_a_folder_each_while_they_live(self):
        jobs = [self.start() for _ in range(3)]
        folders = [self.folder(job) for job in jobs]
        self.assertEqual(len(set(folders)), 3, folders)
        jobs[1].communicate()
        self.assertEqual(jobs[1].returncode, 3)
        self.assertNotIn(self.folder(self.start()), (folders[0], folders[2]))

    def test_too_many_are_told(self):
        jobs = []
        while len(jobs) < 33:
            jobs.append(self.start())
            if not jobs[-1].stdout.readline():
                break
        self.assertLess(len(jobs), 34)
        _, said = jobs[-1].communicate()
        self.assertEqual(jobs[-1].returncode, 1)
        self.assertIn("no folder of its own", said)


if __name__ == "__main__":
    unittest.main()
