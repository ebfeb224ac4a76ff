// The OpenAI client of Node against the gateway. One line a check; exits with 0 only when all held.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { load, PUNCTUAL_KEY, PUNCTUAL_URL, raised, runAll, timed, upstreamOf } from "./checks.mjs";

const { default: OpenAI } = await load("openai");
const client = new OpenAI({ baseURL: `${PUNCTUAL_URL}/v1`, apiKey: PUNCTUAL_KEY });
const messages = [{ role: "user", content: "hi" }];
const tools = [{ type: "function", function: { name: "lookup", parameters: { type: "object", properties: {} } } }];

const ask = (model, more = {}, options = {}) => client.chat.completions.create({ model, messages, ...more }, options);

async function chunksOf(model, more = {}, options = {}) {
  const chunks = [];
  for await (const chunk of await ask(model, { stream: true, ...more }, options)) chunks.push(chunk);
  return chunks;
}

const text = (chunks) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

const checks = {
  async "answers whole and streamed are the same, with the gateway's headers"() {
    const { data, response, request_id } = await ask("hello").withResponse();
    assert(data.choices[0].message.content && data.usage.total_tokens > 0);
    assert.equal(response.headers.get("x-request-id"), request_id);
    assert.equal(response.headers.get("x-punctual-target"), "hello");
    assert.equal(text(await chunksOf("hello")), data.choices[0].message.content);
    const chunks = await chunksOf("hello", { stream_options: { include_usage: true } });
    assert(chunks.at(-1).usage.total_tokens > 0);
  },
  async "models, embeddings and legacy completions work"() {
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    assert(names.includes("hello") && !names.includes("private"), names.join());
    const vectors = await client.embeddings.create({ model: "hello", input: "a" });
    assert(vectors.data[0].embedding.length > 0);
    const whole = await client.completions.create({ model: "hello", prompt: "hi" });
    assert(whole.choices[0].text);
  },
  async "tool calls are the same whole and streamed"() {
    const whole = await ask("tooling", { tools });
    const runner = client.chat.completions.stream({ model: "tooling", messages, tools });
    const streamed = await runner.finalChatCompletion();
    const said = (answer) => answer.choices[0].message.tool_calls.map((c) => [c.function.name, c.function.arguments]);
    assert.deepEqual(said(whole), said(streamed));
    assert.equal(said(whole).length, 1);
  },
  async "a response is streamed, its tool called, and it is asked for again"() {
    const whole = await client.responses.create({ model: "responses-hello", input: "hi" });
    const events = [];
    for await (const event of await client.responses.create({ model: "responses-hello", input: "hi", stream: true }))
      events.push(event);
    assert.equal(events.at(-1).type, "response.completed");
    assert.equal(events.at(-1).response.output_text ?? whole.output_text, whole.output_text);
    const lookup = [{ type: "function", ...tools[0].function, strict: false }];
    const stream = client.responses.stream({ model: "responses-tooling", input: "hi", tools: lookup });
    const [call] = (await stream.finalResponse()).output.filter((item) => item.type === "function_call");
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ["lookup", { city: "Paris" }]);
    assert.equal((await client.responses.retrieve(whole.id)).id, whole.id);
  },
  async "errors are the exceptions their callers catch"() {
    const once = { maxRetries: 0 };
    const missing = await raised(OpenAI.NotFoundError, () => ask("no-such-model", {}, once));
    assert.equal(missing.code, "model_not_found");
    const stranger = new OpenAI({ baseURL: `${PUNCTUAL_URL}/v1`, apiKey: "pk-of-nobody-at-all", maxRetries: 0 });
    await raised(OpenAI.AuthenticationError, () => stranger.chat.completions.create({ model: "hello", messages }));
    await raised(OpenAI.PermissionDeniedError, () => ask("private", {}, once));
    await raised(OpenAI.BadRequestError, () => ask("wrong", {}, once));
    const limited = await raised(OpenAI.RateLimitError, () => ask("limited", {}, once));
    assert.equal(limited.code, "rate_limited");
    const broken = await raised(OpenAI.InternalServerError, () => ask("broken", {}, once));
    assert.equal(broken.status, 502);
  },
  async "a spent deadline is one request in all although the SDK retries"() {
    for (const stream of [false, true]) {
      const upstream = await upstreamOf("silent");
      const headers = { "X-Request-Deadline-Ms": "300" };
      const error = await timed(290, 600, () =>
        raised(OpenAI.InternalServerError, () => ask("silent", { stream }, { headers })),
      );
      assert.equal(error.status, 504);
      assert.equal(error.code, "request_deadline_exceeded");
      await sleep(1500);
      assert.equal((await upstream.requests()).length, 1);
    }
  },
  async "the SDK retries what says when"() {
    const upstream = await upstreamOf("busy-once");
    const answer = await timed(300, 3000, () => ask("busy-once"));
    assert(answer.choices[0].message.content);
    assert.equal((await upstream.requests()).length, 2);
  },
  async "the SDK's own timeout is answered before it fires"() {
    const upstream = await upstreamOf("silent");
    const error = await timed(850, 1000, () =>
      raised(OpenAI.InternalServerError, () => ask("silent", {}, { timeout: 1000 })),
    );
    assert.equal(error.status, 504);
    assert.equal((await upstream.requests()).length, 1);
  },
  async "a stream outlives the SDK's timeout because of heartbeats"() {
    const upstream = await upstreamOf("late");
    const chunks = await timed(2400, 4000, () => chunksOf("late", {}, { timeout: 1000 }));
    assert.equal((await upstream.requests()).length, 1);
    assert(text(chunks).split(" ").length > 2, text(chunks));
  },
  async "heartbeats are no events to this SDK, not even behind an id"() {
    for (const model of ["beating", "beating-ids"]) {
      const raw = await ask(model, { stream: true }).asResponse();
      const beats = (await raw.text()).split("\n").filter((line) => line.startsWith(":")).length;
      assert(beats >= 3, `${model}: ${beats} heartbeats`);
      const chunks = await chunksOf(model);
      assert.equal(chunks.at(-1).choices[0].finish_reason, "stop");
    }
  },
  async "an error in a stream is an exception and no end"() {
    const got = [];
    const error = await raised(OpenAI.APIError, async () => {
      for await (const chunk of await ask("breaks-off", { stream: true })) got.push(chunk);
    });
    assert(got.length >= 2);
    assert.equal(error.code, "truncated");
  },
  async "an aborted stream ends the upstream"() {
    const upstream = await upstreamOf("endless");
    const stream = await ask("endless", { stream: true });
    let now;
    for await (const _ of stream) {
      if (now) continue;
      now = await upstream.now();
      stream.controller.abort();
    }
    await upstream.closedWithin(now);
  },
  async "an aborted unary call ends the upstream and is not tried again"() {
    const upstream = await upstreamOf("held");
    const controller = new AbortController();
    const asked = raised(OpenAI.APIUserAbortError, () => ask("held", {}, { signal: controller.signal }));
    while ((await upstream.requests()).length === 0) await sleep(10);
    const now = await upstream.now();
    controller.abort();
    await asked;
    await upstream.closedWithin(now);
    assert.equal((await upstream.requests()).length, 1);
  },
};

await runAll(checks);
