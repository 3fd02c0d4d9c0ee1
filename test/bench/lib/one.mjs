// Runs one benchmark and sends its rows to the process that forked this one.
const [file, index, options] = process.argv.slice(2);
const { benchmarks } = await import(`../rows/${file}.mjs`);
const rows = await benchmarks[index].run(JSON.parse(options));
process.send(rows, () => process.disconnect());
