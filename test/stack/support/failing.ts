/* A child that ends before it is ready. */
process.stderr.write('cannot find the sea\n');
process.exit(3);
