#!/usr/bin/env node
import { join } from 'node:path'
import { statSync } from 'node:fs'
import module from 'node:module'

const OLDEST_NODE = 24

/** Keeps compiled code beside the dependencies if we own that folder. The next start then takes half the time. */
function keepCompiledCode(): void {
  const root = join(import.meta.dirname, '..')
  const folder = import.meta.filename.endsWith('.ts') ? join(root, 'node_modules') : join(root, '..')
  try {
    if (statSync(folder).uid === process.geteuid?.())
      module.enableCompileCache(join(folder, '.cache', 'forgelet'))
  } catch {
    // Everything also works without it.
  }
}

async function main(): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    process.stderr.write(
      `forgelet: needs Node.js ${OLDEST_NODE} or later, this is ${process.versions.node}\n`,
    )
    return 1
  }
  keepCompiledCode()
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
