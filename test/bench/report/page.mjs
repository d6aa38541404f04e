/** docs/project/benchmarks.md */
export function page({ table, machines, disturbed, peers }) {
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`)
  return `# Benchmarks

<!-- Written by \`npm run bench\`. -->

![Ours among its peers: each bar is a ratio or a size, the dotted line is our goal](benchmarks.svg)

Times are given only as ratios within one run, since they mean nothing on another machine. Sizes and counts are what they
are anywhere. *met* and *missed* say whether our own goal is reached.

${table}

Measured with ${machines.join('; ')}, beside ${versions.join(', ')}.${warning(disturbed)}

## Run it

\`\`\`sh
npm run build
npm ci --ignore-scripts --prefix test/bench
npm run bench                # everything; about ten minutes on a machine with nothing else to do
npm run bench -- calls       # one suite: calls, validation, webhooks, lists, start or weight
npm run bench:quick          # whether it works; rough figures, nothing is written
npm run budgets              # what does not vary, held against test/bench/budgets.json
\`\`\`

## How it is measured

- **What is measured is the built package**, unpacked where the peers are, with its default options: validation, deadlines
  and retries are on. The peers have their defaults too.
- **Calls.** Some read a payment and some create one. A server in a process of its own answers every contender with a payment
  of 2,700 bytes, in the words of that contender's service. Every contender has a process of its own; they take
  turns in short blocks, 64 calls in flight or one after another. CPU is that of the caller's process, all threads. Figures
  are lower quartiles over all blocks. A round that another job on the machine disturbed is run again.
- **Validation.** The client reads the same answers with \`responseValidation\` on and off, from a function in place of the
  network. The difference is what validation costs; it is added to a bare \`JSON.parse\` and divided by it. No two answers
  have the same fields, and some fields are \`null\`. The zod schemas of \`payments-client/schemas\` are beside it.
- **Webhooks.** 2,500 raw bytes and headers in, a parsed event out. We are the only one to check the event against a schema.
- **Lists.** 100,000 summaries in pages of 100, read in a process of its own. For the time per page the service takes 5 ms
  for a page and the consumer 5 ms for its items, either waiting or computing: 1 is perfect overlap, 2 is none.
- **Start.** Fresh processes, over one that imports nothing. Until the first answer counts what an import puts off.
- **Weight.** One small program per package, bundled by esbuild and compiled by TypeScript with \`skipLibCheck: false\`, over an
  empty program.

- **ky** is the same exchange as *node-http* with ky in between, everything off that can be: what it costs more is ky. That is
  why our requests go over \`node:http\` without it; ky carries those that go over a fetch.

What is not quite alike: openai has no payments, so its batches are created and read, with the same bytes. Adyen has no way to
read a payment, so payment links are. Adyen and Mollie speak TLS only; in their processes \`http\` stands in for \`https\`, and
their habit of opening a connection for every call is left as it is. Checkout's declarations cannot be resolved under
\`nodenext\`, so the errors in them are counted, and its types are not.

## What is missed, and why

- **One payment, validated.** Parsing takes some 7 µs, so that every further microsecond is 0.14 here. The guard alone, in a loop,
  adds 0.2; in the midst of a call, with cold caches, it adds two to three times that.
- **A webhook.** Checking the signature and reading the headers cost what they cost the others; the rest is the check against the
  schema, which they do not make.
- **A page, the consumer awaiting.** A list with cursors can ask for a page only once the page before is read: the way there and
  back and the parsing come on top of the service's time.
- **In a bundle.** ky is 8.3 KB, zod 5.8, the transport 8.8: more than the goal, before there is a schema or a method. Bundlers that
  split leave ky out of what is loaded first. Without its schemas the webhooks entry would be 4.0 KB.
`
}

function warning(disturbed) {
  if (disturbed.length === 0) return ''
  return `\n\n**Other jobs were using the machine while ${disturbed.join(', ')} ran: those times are rough.**`
}
