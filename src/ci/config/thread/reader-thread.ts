import { parentPort } from 'node:worker_threads'
import { chooseJobs } from '../choose-jobs.ts'
import type { PathSource } from '../conditions.ts'
import type { Configuration } from '../configuration.ts'
import type { FileSource } from '../includes.ts'
import { mergedYaml } from '../merged-yaml.ts'
import type { ReadPipeline } from '../pipeline-reading.ts'
import { inputsOf, readConfiguration } from '../read-configuration.ts'
import { isMapping, toJson } from '../values.ts'
import type { Answer, FromThread, Question, Reading, ShownJob, ToThread } from './messages.ts'

// Reads configurations in a thread of its own: texts of others take time that nobody else should wait for. Globs become regular
// expressions, which may take long; the server ends a thread that takes too long, and starts another one.

const port = parentPort
if (port === null) throw new Error('This file is run as a thread')
const post = (message: FromThread): void => port.postMessage(message)

const open = new Map<number, (answer: Answer) => void>()
let calls = 0

function ask(question: Question): Promise<Answer> {
  calls += 1
  const call = calls
  post({ kind: 'ask', call, question })
  return new Promise((resolve) => open.set(call, resolve))
}

const files: FileSource = {
  async fetch(requests) {
    const answer = await ask({ about: 'files', requests })
    return typeof answer === 'string' || answer === null ? [] : answer
  },
}

/** Paths that were asked for before. */
function pathSource(): PathSource {
  const known = new Map<string, Promise<Answer>>()
  const once = async (key: string, question: Question): Promise<string | null> => {
    const asked = known.get(key) ?? ask(question)
    known.set(key, asked)
    const answer = await asked
    return typeof answer === 'string' ? answer : null
  }
  return {
    changed: (compareTo) => once(`changed ${compareTo ?? ''}`, { about: 'changed', compareTo }),
    existing: (project, ref) =>
      once(`existing ${project ?? ''}\0${ref ?? ''}`, { about: 'existing', project, ref }),
  }
}

async function read(reading: Reading): Promise<ReadPipeline> {
  const { text, file, tree, inputs, pipeline, predefined, kept, given, shows } = reading
  const paths = pathSource()
  const configuration = await readConfiguration(text, {
    files,
    paths,
    variables: new Map([...predefined, ...kept, ...given]),
    inputs: inputsOf(inputs),
    file,
    tree,
  })
  const { errors, warnings, includes, merged } = configuration
  const chosen =
    errors.length > 0
      ? null
      : await chooseJobs(configuration, { ...pipeline, paths, predefined, kept, given })
  return {
    isThere: true,
    errors,
    warnings,
    includes,
    merged: shows && merged !== null ? mergedYaml(merged) : null,
    configured: shows ? shown(configuration) : [],
    chosen,
  }
}

function shown({ jobs, merged }: Configuration): ShownJob[] {
  return jobs.map(({ name, stage, when, allowFailure, options, tags, environment, needs }) => {
    const entry = merged?.get(name)
    const filter = (key: string) => (isMapping(entry) ? toJson(entry.get(key) ?? null) : null)
    return {
      name,
      stage,
      when,
      allowFailure,
      options,
      tags,
      environment,
      needs,
      only: filter('only'),
      except: filter('except'),
    }
  })
}

async function readAndTell(reading: Reading): Promise<void> {
  try {
    post({ kind: 'read', json: JSON.stringify(await read(reading)) })
  } catch (error) {
    post({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
  }
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'answer') {
    open.get(message.call)?.(message.answer)
    open.delete(message.call)
    return
  }
  void readAndTell(message)
})
