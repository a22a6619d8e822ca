"""What long work needs: progress, workers, state that resumes, files written whole, tools."""
