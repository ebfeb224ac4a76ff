// Named checks, one line of output each, and what the simulator's sockets saw meanwhile.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.PUNCTUAL_SDKS}/`);

/** Loads a package from where the test command has put it. */
export const load = async (name) => import(pathToFileURL(require.resolve(name)));
export const { PUNCTUAL_URL, PUNCTUAL_KEY, SIM_URL } = process.env;

const report = async (model) => (await fetch(`${SIM_URL}/_sim/report?model=${model}`)).json();

/** The requests for one model from here on, as the simulator's sockets saw them. */
export async function upstreamOf(model) {
  const before = (await report(model)).requests.length;
  const requests = async () => (await report(model)).requests.slice(before);
  const now = async () => (await report(model)).now_us;
  const closedWithin = async (since, bound = 150) => {
    for (const end = Date.now() + 5000; Date.now() < end; await sleep(5)) {
      const last = (await requests()).at(-1);
      if (last?.closed_us != null) return assert((last.closed_us - since) / 1000 <= bound, JSON.stringify(last));
    }
    assert.fail("never closed");
  };
  return { requests, now, closedWithin };
}

/** Calls, and gives the exception of exactly this kind. */
export async function raised(kind, call) {
  const error = await call().then(() => assert.fail(`no ${kind.name}`), (error) => error);
  assert.equal(error.constructor, kind, error.stack);
  return error;
}

/** Calls, and sees that it takes so many milliseconds. */
export async function timed(least, most, call) {
  const start = performance.now();
  const value = await call();
  const took = performance.now() - start;
  assert(least <= took && took <= most, `took ${took} ms, not ${least} to ${most}`);
  return value;
}

/** Runs every check, also after one has failed; ends the process with 0 only when all held. */
export async function runAll(checks) {
  setTimeout(() => { console.log("WRONG  not done within two minutes"); process.exit(1); }, 120_000).unref();
  let failed = 0;
  for (const [name, run] of Object.entries(checks)) {
    try {
      await run();
      console.log(`ok     ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`WRONG  ${name}\n${error.stack}`);
    }
  }
  const all = Object.keys(checks).length;
  console.log(`${all - failed} of ${all} checks held`);
  process.exit(failed || !all ? 1 : 0);
}
