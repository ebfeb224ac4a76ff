// The AI SDK of Node with its providers for OpenAI and Anthropic: a stream and a tool run through each.
import assert from "node:assert/strict";
import { load, PUNCTUAL_KEY, PUNCTUAL_URL, runAll, upstreamOf } from "./checks.mjs";

const { generateText, isStepCount, Output, streamText, tool } = await load("ai");
const { z } = await load("zod");
const options = { baseURL: `${PUNCTUAL_URL}/v1`, apiKey: PUNCTUAL_KEY };
const openai = (await load("@ai-sdk/openai")).createOpenAI(options);
const anthropic = (await load("@ai-sdk/anthropic")).createAnthropic(options);

/** Each API of each provider, and before which targets it stands. */
const APIS = [
  ["chat completions", openai.chat, ["", "anthropic-", "gemini-"]],
  ["responses", openai.responses, ["responses-", "", "anthropic-"]],
  ["messages", anthropic, ["anthropic-", "", "responses-", "bedrock-"]],
];
// a target that speaks another API has no items to be referred to
const providerOptions = { openai: { store: false } };
const quiet = { prompt: "hi", maxRetries: 0, providerOptions, onError() {} };
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A tool that keeps what it was called with. */
function lookup(asked) {
  return tool({
    description: "Looks a city up.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      asked.push(city);
      return "7 degrees";
    },
  });
}

const checks = {};
for (const [api, through, targets] of APIS) {
  for (const of of targets) {
    const where = `${api} before ${of || "openai-"}hello`;
    checks[`text is streamed with its usage: ${where}`] = async () => {
      const stream = streamText({ ...quiet, model: through(`${of}hello`) });
      let text = "";
      for await (const piece of stream.textStream) text += piece;
      assert.equal(text.trim().split(" ").length, 3, text);
      assert.equal(await stream.finishReason, "stop");
      const { inputTokens, outputTokens } = await stream.usage;
      assert.deepEqual([inputTokens, outputTokens], [7, 3]);
    };
    checks[`a tool runs and its result goes back: ${where}`] = async () => {
      for (const run of [generateText, streamText]) {
        const asked = [];
        const upstream = await upstreamOf("tooling");
        const tools = { lookup: lookup(asked) };
        const done = run({ ...quiet, model: through(`${of}tooling`), tools, stopWhen: isStepCount(2) });
        assert.equal((await (await done).steps).length, 2);
        assert.deepEqual(asked, ["Paris", "Paris"]);
        const [, second] = await upstream.requests();
        assert(second.body.includes("7 degrees"), second.body);
      }
    };
    checks[`a stream that breaks off is an error and no end: ${where}`] = async () => {
      const errors = [];
      const stream = streamText({ ...quiet, model: through(`${of}breaks-off`), onError: ({ error }) => errors.push(error) });
      for await (const _ of stream.textStream);
      assert(errors.length > 0, "no error");
    };
  }
}

checks["an object is made of structured output"] = async () => {
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const made = await generateText({ ...quiet, model: openai.chat("weather"), output: Output.object({ schema }) });
  assert.deepEqual(made.output, { city: "Oslo", degrees: 7 });
};
checks["an aborted stream ends the upstream"] = async () => {
  const upstream = await upstreamOf("endless");
  const controller = new AbortController();
  const stream = streamText({ ...quiet, model: anthropic("anthropic-endless"), abortSignal: controller.signal });
  let now;
  for await (const _ of stream.textStream) {
    if (now) continue;
    now = await upstream.now();
    controller.abort();
  }
  await upstream.closedWithin(now);
};

await runAll(checks);
