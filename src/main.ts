#!/usr/bin/env node
import { keepCompiledCode } from '#platform/compiled-code.ts'
import { nameSources } from '#program/stack-traces.ts'

const isBundle = import.meta.filename.endsWith('.js')

async function main(): Promise<number> {
  keepCompiledCode()
  if (isBundle) nameSources(import.meta.dirname)
  const { run } = await import('#program/cli/run.ts')
  // The reader of the output has gone. There is no one left to inform and no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return run(process.argv.slice(2), {
    environment: process.env,
    input: process.stdin,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: { out: process.stdout.isTTY, err: process.stderr.isTTY },
  })
}

// Exit explicitly: timers of libraries may outlive their purpose.
process.exit(await main())
