"""A download whose link had expired: the file is the server's error page."""

import os

os.makedirs("output")
with open("output/best.pdparams", "w") as file:
    file.write("<!DOCTYPE html>\n<html>\n<head><title>404 Not Found</title></head>\n")
    file.write("<body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body>\n</html>\n")
