#!/usr/bin/env node
import { statSync } from 'node:fs'
import module from 'node:module'
import { basename, dirname, join } from 'node:path'
import { packageFolder } from '#platform/package.ts'
import { nameSources } from '#program/stack-traces.ts'

const OLDEST_NODE = 24

const isBundle = import.meta.filename.endsWith('.js')

/**
 * Keeps compiled code beside the dependencies if we own that folder. The next start then takes half the time. A program
 * that is started by scripts/start.js keeps it elsewhere already.
 */
function keepCompiledCode(): void {
  const above = dirname(packageFolder)
  const folder = basename(above) === 'node_modules' ? above : join(packageFolder, 'node_modules')
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
