module forgelettest

go 1.22
