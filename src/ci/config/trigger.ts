import type { Trigger } from './configuration.ts'
import { texts } from './environment.ts'
import { anything, bool, byKind, hash, oneOf, text } from './forms.ts'
import { isAbsent, isList, isMapping, isText, type Json, toJson, type Value } from './values.ts'

const form = hash({
  project: text,
  branch: text,
  strategy: oneOf('depend', 'mirror'),
  include: byKind(
    { text: anything, list: anything, hash: anything },
    'should be a string, a hash or an array',
  ),
  forward: hash({ yaml_variables: bool, pipeline_variables: bool }),
  inputs: byKind({ hash: anything }, 'should be a hash'),
})
/** Files that one child pipeline is made of. */
const MOST_INCLUDES = 3

/** Reads `trigger`: a project, or a mapping with a project or with files of a child pipeline. */
export function readTrigger(
  value: Value | undefined,
  path: string,
  say: (path: string, text: string) => void,
): Trigger | undefined {
  const forwards = { forwardYamlVariables: true, forwardPipelineVariables: false }
  if (isAbsent(value)) return undefined
  if (isText(value)) return { project: value, ...forwards }
  if (!isMapping(value)) {
    say(path, 'has to be either a string or a hash')
    return undefined
  }
  form(value, path, say)
  const include = value.get('include')
  if (isAbsent(include) === isAbsent(value.get('project'))) {
    say(path, 'config must have either project or include')
  }
  const files = isAbsent(include) ? [] : isList(include) ? include.flat(5) : [include]
  if (files.length > MOST_INCLUDES) say(`${path}:include`, `config is too long (maximum is ${MOST_INCLUDES})`)
  for (const file of files) {
    if (isMapping(file) && file.has('artifact') && !file.has('job')) {
      say(`${path}:include`, 'config must specify the job where to fetch the artifact from')
    }
  }
  const forward = value.get('forward')
  const inputs = value.get('inputs')
  const strategy = value.get('strategy')
  return {
    ...texts(value, { project: 'project', branch: 'branch' }),
    ...(strategy === 'depend' || strategy === 'mirror' ? { strategy } : {}),
    ...(files.length > 0
      ? { include: files.map((file) => (isText(file) ? { local: file } : toJson(file))) }
      : {}),
    forwardYamlVariables: !(isMapping(forward) && forward.get('yaml_variables') === false),
    forwardPipelineVariables: isMapping(forward) && forward.get('pipeline_variables') === true,
    ...(isMapping(inputs) ? { inputs: jsonOf(inputs) } : {}),
  }
}

const jsonOf = (map: ReadonlyMap<string, Value>): Record<string, Json> =>
  Object.fromEntries([...map].map(([key, value]): [string, Json] => [key, toJson(value)]))
