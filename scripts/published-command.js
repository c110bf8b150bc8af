#!/usr/bin/env node
// @ts-check
// The command `forgelet` of the published package: dist/forgelet.js. Older versions of Node.js must understand it.
import { problemOfNode } from './assert-node.js'

const problem = problemOfNode()
if (problem === undefined) {
  // Beside this file in the package, where it is the bundle.
  const program = './main.js'
  await import(program)
} else {
  process.stderr.write(`forgelet: ${problem}.\n`)
  process.exitCode = 1
}
