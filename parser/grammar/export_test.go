package grammar

// Lines returns the rules as they are written, in the order of the files.
func Lines() []Line { return theTable().lines }
