#!/usr/bin/env node
// @ts-check
// What `npm start` and `npx forgelet` run in a checkout: the built program, which takes a third of the time to load. Builds
// it first when it is missing or its sources have changed, and runs the sources where that is impossible: in a folder that
// others own, or without the bundler.
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { problemOfNode } from './assert-node.js'
import { buildNow, isOurs } from './built.js'

const problem = problemOfNode()
if (problem !== undefined) {
  process.stderr.write(`forgelet: ${problem}. "npm ci" installs one for "npm start".\n`)
  process.exit(1)
}
const parent = process.ppid
const build = buildNow()
// npm runs this by a shell, which passes no signal on: whoever ended npm meanwhile wanted to end this as well.
if (process.ppid !== parent && process.env['npm_lifecycle_event'] !== undefined) process.exit(1)
if (build === undefined) await import('../src/main.ts')
else {
  // Beside the code, so that it goes with it.
  if (isOurs(build)) module.enableCompileCache(join(build, 'compiled'))
  await import(pathToFileURL(join(build, 'main.js')).href)
}
