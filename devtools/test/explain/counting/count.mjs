// Counts what each step executes, by V8's own counters of blocks, and what it gives to native functions to go over. No
// clock: the same in every run. A process of its own, because coverage uses the same counters.
import { Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';

let ofNatives = 0;
let isInside = false;

/** Has a native function count what it goes over; those that it calls in turn are a part of that. */
function counted(owner, name, cost) {
  const native = owner[name];
  owner[name] = function (...args) {
    if (isInside) return native.apply(this, args);
    isInside = true;
    try {
      const result = native.apply(this, args);
      ofNatives += cost(this, result, args);
      return result;
    } finally {
      isInside = false;
    }
  };
}

const whole = (text, result) => text.length + (result?.length ?? 0);
const whereFound = (text, result, [, from = 0]) => (result < 0 ? text.length - from : result - from + 1);
const argument = (_, result, [text]) => (text?.length ?? 0) + (result?.length ?? 0);

/** Marks are put in order by moving each past those before it. */
function ofMarks(text, result) {
  const runs = text.match(/\p{M}+/gu) ?? [];
  return runs.reduce((sum, run) => sum + run.length ** 2, whole(text, result));
}

function countNatives() {
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    if (!isInside) ofNatives += (match ? match.index + match[0].length : String(text).length) - from + 1;
    return match;
  };
  for (const name of ['replace', 'replaceAll', 'split', 'trim', 'trimEnd', 'trimStart', 'toLowerCase', 'toUpperCase'])
    counted(String.prototype, name, whole);
  for (const name of ['repeat', 'isWellFormed']) counted(String.prototype, name, whole);
  counted(String.prototype, 'normalize', ofMarks);
  counted(String.prototype, 'indexOf', whereFound);
  counted(String.prototype, 'includes', (text) => text.length);
  counted(Uint8Array.prototype, 'fill', (bytes, _, [, from = 0, to = bytes.length]) => to - from);
  counted(Uint8Array.prototype, 'set', (_, __, [bytes]) => bytes.length);
  counted(Uint8Array.prototype, 'slice', (_, result) => result.length);
  counted(Uint8Array.prototype, 'indexOf', whereFound);
  counted(Array.prototype, 'join', (_, result) => result.length);
  counted(TextEncoder.prototype, 'encode', argument);
  counted(TextDecoder.prototype, 'decode', argument);
  counted(JSON, 'parse', argument);
  counted(JSON, 'stringify', argument);
  for (const name of ['atob', 'btoa', 'decodeURIComponent', 'encodeURIComponent']) counted(globalThis, name, argument);
  for (const name of ['Uint8Array', 'Uint16Array', 'Uint32Array']) {
    const construct = (target, args) => {
      ofNatives += typeof args[0] === 'number' ? args[0] : 0;
      return new target(...args);
    };
    globalThis[name] = new Proxy(globalThis[name], { construct });
  }
}

const session = new Session();
session.connect();

/** A command of the inspector, which answers at once. */
function ask(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** What was executed of a module since the last time. */
function takeFunctions(url) {
  const { result } = ask('Profiler.takePreciseCoverage');
  return result.find((script) => script.url === url)?.functions ?? [];
}

const url = pathToFileURL(process.argv[2]).href;
countNatives();
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { steps, quadratic, repeated, timesIn } = await import(url);
// Those that make tables and steps are called while it is loaded.
const names = new Map(
  takeFunctions(url).flatMap(({ functionName, ranges: [whole] }) =>
    whole.count > 0 ? [] : [[whole.startOffset, functionName]],
  ),
);

/** The blocks that functions execute, and what natives go over for them. */
function workOf(runs) {
  takeFunctions(url);
  ofNatives = 0;
  for (const run of runs) {
    try {
      run();
    } catch (error) {
      // A step that is not for this text ends so, but no text is too long or out of range.
      if (error instanceof RangeError) throw error;
    }
  }
  let work = ofNatives;
  for (const { ranges } of takeFunctions(url)) {
    for (const { count } of ranges) work += count;
    if (ranges[0].count > 0) names.delete(ranges[0].startOffset);
  }
  return work;
}

process.on('message', ({ step, texts, size }) => {
  if (step === undefined) {
    process.send({ steps: [...steps.keys()], quadratic: [...quadratic.keys()], notCalled: [...names] });
    return;
  }
  const prepare = steps.get(step) ?? quadratic.get(step);
  process.send({
    work: workOf(texts.map(([unit, frame]) => prepare(repeated(frame, unit, timesIn(size, unit))))),
  });
});
