"""`tapete simulate`: a simulation from the terminal, in processes of this machine or on a service.

`asking` makes the request of what is typed, the same that HTTP takes; `local` plays it here, `remote` has a service
play it; both come to the same results, byte by byte. `shown` draws them, `plots` too.
"""
