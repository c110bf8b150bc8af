import { copyName } from './check-together.ts'
import { type PathSource, satisfied } from './conditions.ts'
import type { Configuration, ConfiguredJob, JobEnvironment } from './configuration.ts'
import { expand, Scope, type ScopedValue } from './expand.ts'
import { allHold, anyHolds, BRANCHES_AND_TAGS, type FilteredPipeline } from './filters.ts'
import type { Copy } from './matrix.ts'
import type { ChosenJob } from './chosen.ts'
import { chosenNeeds } from './chosen-needs.ts'
import type { AutoCancel, Rule } from './rules.ts'

/** The pipeline that jobs are chosen for. */
export interface PipelineContext extends FilteredPipeline {
  readonly paths: PathSource
  /** What the server says of the pipeline and its project. Everything else is stronger. */
  readonly predefined: ReadonlyMap<string, ScopedValue>
  /** Variables of the instance, the groups and the project, the nearest already chosen. Stronger than the file. */
  readonly kept: ReadonlyMap<string, ScopedValue>
  /** Variables that this pipeline was started with. The strongest. */
  readonly given: ReadonlyMap<string, ScopedValue>
}

/** What a pipeline is made of; with errors, it must not be made. */
export interface ChosenJobs {
  readonly name: string | undefined
  readonly autoCancel: AutoCancel
  readonly stages: readonly string[]
  readonly jobs: readonly ChosenJob[]
  readonly errors: readonly string[]
  /** The pipeline is not wanted: no mistake, but there is nothing to run. */
  readonly filtered: boolean
}

const MOST_JOBS = 1_000
/** Variables of all jobs: each has those of the top level. */
const MOST_VARIABLES = 500_000

/** Chooses the jobs of one pipeline out of a configuration without errors. */
export async function chooseJobs(
  configuration: Configuration,
  context: PipelineContext,
): Promise<ChosenJobs> {
  const { stages, workflow, variables, jobs } = configuration
  const layers = { below: [context.predefined, variables], above: [context.kept, context.given] }
  const scope = new Scope([...layers.below, ...layers.above])
  const rule = await ruleFor(workflow.rules, scope, context.paths)
  const nothing = { name: undefined, autoCancel: NO_CANCEL, stages, jobs: [], filtered: true }
  if (rule === null || rule?.when === 'never')
    return { ...nothing, errors: ['Pipeline filtered out by workflow rules.'] }

  const ruled = rule?.variables ?? NO_VARIABLES
  const chooser = new Chooser(configuration, context, new Map([...variables, ...ruled]), ruled)
  const chosen: ChosenJob[] = []
  for (const job of jobs) {
    for (const one of await chooser.choose(job)) chosen.push(one)
    if (chosen.length > MOST_JOBS) {
      const text = `The number of jobs has exceeded the limit of ${MOST_JOBS}. Try splitting the configuration with parent-child-pipelines`
      return { ...nothing, filtered: false, errors: [text] }
    }
    if (chooser.variables > MOST_VARIABLES) {
      return { ...nothing, filtered: false, errors: ['The jobs have too many variables in all'] }
    }
  }
  const errors = chosenNeeds(chosen, jobs)
  if (!chosen.some((job) => job.stage !== '.pre' && job.stage !== '.post')) {
    return { ...nothing, errors: [EMPTY] }
  }
  const named = new Scope([...layers.below, ruled, ...layers.above])
  return {
    name: workflow.name === undefined ? undefined : named.expand(workflow.name).slice(0, 255),
    autoCancel: {
      onNewCommit: rule?.autoCancel?.onNewCommit ?? workflow.autoCancel?.onNewCommit,
      onJobFailure: rule?.autoCancel?.onJobFailure ?? workflow.autoCancel?.onJobFailure,
    },
    stages,
    jobs: errors.jobs,
    errors: errors.errors,
    filtered: false,
  }
}

const EMPTY =
  'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.'
const NO_CANCEL: AutoCancel = { onNewCommit: undefined, onJobFailure: undefined }
const NO_VARIABLES: ReadonlyMap<string, ScopedValue> = new Map()

/** The first rule that holds; null if none does, undefined if there are no rules. */
async function ruleFor(
  rules: readonly Rule[] | undefined,
  scope: Scope,
  paths: PathSource,
): Promise<Rule | null | undefined> {
  if (rules === undefined) return undefined
  for (const rule of rules) if (await satisfied(rule, { scope, paths })) return rule
  return null
}

class Chooser {
  /** Variables of all jobs chosen so far. */
  variables = 0
  readonly #configuration: Configuration
  readonly #context: PipelineContext
  readonly #top: ReadonlyMap<string, ScopedValue>
  readonly #ruled: ReadonlyMap<string, ScopedValue>
  readonly #stages: ReadonlyMap<string, number>

  constructor(
    configuration: Configuration,
    context: PipelineContext,
    top: ReadonlyMap<string, ScopedValue>,
    ruled: ReadonlyMap<string, ScopedValue>,
  ) {
    this.#configuration = configuration
    this.#context = context
    this.#top = top
    this.#ruled = ruled
    this.#stages = new Map(configuration.stages.map((stage, at) => [stage, at]))
  }

  async choose(job: ConfiguredJob): Promise<ChosenJob[]> {
    const copies = job.copies ?? [undefined]
    const chosen: ChosenJob[] = []
    for (const copy of copies) {
      const one = await this.#one(job, copy)
      if (one !== undefined) chosen.push(one)
    }
    return chosen
  }

  async #one(job: ConfiguredJob, copy: Copy | undefined): Promise<ChosenJob | undefined> {
    const name = copy === undefined ? job.name : copyName(job, copy.suffix)
    const own = this.#own(job, copy)
    const scope = this.#scope(job, name, copy, own)
    const { paths } = this.#context
    const rule = await ruleFor(job.rules, scope, paths)
    if (rule === null) return undefined
    if (rule === undefined && !(await this.#passesFilters(job, scope))) return undefined
    const when = rule?.when ?? job.when
    if (when === 'never') return undefined
    const ruled = rule?.variables ?? NO_VARIABLES
    this.variables += own.size + ruled.size
    const all = ruled.size === 0 ? own : new Map([...own, ...ruled])
    return {
      name,
      base: job.name,
      stage: job.stage,
      stageIndex: this.#stages.get(job.stage) ?? 0,
      when,
      startIn: rule?.startIn ?? job.startIn,
      allowFailure: rule?.allowFailure ?? job.allowFailure,
      variables: [...all].map(([key, { value, raw }]) => ({ key, value, raw })),
      needs: (rule?.needs ?? job.needs)?.map((need) => ({ ...need })),
      crossNeeds: job.crossNeeds,
      dependencies: job.dependencies,
      copy: copy && { index: copy.index, total: copy.total },
      trigger: job.trigger,
      environment:
        job.environment &&
        this.#environment(job.environment, ruled.size === 0 ? scope : this.#scope(job, name, copy, all)),
      interruptible: rule?.interruptible ?? job.interruptible,
      resourceGroup: job.resourceGroup === undefined ? undefined : scope.expand(job.resourceGroup),
      coverage: job.coverage,
      timeout: job.timeout,
      tags: job.tags.map(scope.expand),
      options: job.options,
    }
  }

  /** Variables of the file: those of the top level that the job inherits, its own, and those of the matrix. */
  #own(job: ConfiguredJob, copy: Copy | undefined): Map<string, ScopedValue> {
    const { inherits } = job
    const top =
      inherits === true
        ? this.#top
        : // What a rule of the workflow sets is for every job.
          [
            ...(inherits === false ? [] : [...this.#top].filter(([key]) => inherits.includes(key))),
            ...this.#ruled,
          ]
    const matrix = [...(copy?.variables ?? [])].map(([key, value]): [string, ScopedValue] => [
      key,
      { value, raw: false },
    ])
    return new Map<string, ScopedValue>([...top, ...job.variables, ...matrix])
  }

  #scope(
    job: ConfiguredJob,
    name: string,
    copy: Copy | undefined,
    own: ReadonlyMap<string, ScopedValue>,
  ): Scope {
    const { predefined, kept, given } = this.#context
    const said: [string, string][] = [
      ['CI_JOB_NAME', name],
      ['CI_JOB_STAGE', job.stage],
      ['CI_NODE_TOTAL', String(copy?.total ?? 1)],
      ...(copy ? [['CI_NODE_INDEX', String(copy.index)] satisfies [string, string]] : []),
    ]
    const ofJob = new Map(said.map(([key, value]): [string, ScopedValue] => [key, { value, raw: true }]))
    return new Scope([predefined, ofJob, own, kept, given])
  }

  async #passesFilters(job: ConfiguredJob, scope: Scope): Promise<boolean> {
    const { paths } = this.#context
    const isFree =
      job.only === undefined && job.except === undefined && this.#configuration.workflow.rules !== undefined
    const only = job.only ?? (isFree ? undefined : BRANCHES_AND_TAGS)
    // With variables or changes alone, `only` is for branches and tags, too.
    const whole = only && only.refs.length === 0 ? { ...only, refs: BRANCHES_AND_TAGS.refs } : only
    if (whole !== undefined && !(await allHold(whole, this.#context, scope, paths))) return false
    return job.except === undefined || !(await anyHolds(job.except, this.#context, scope, paths))
  }

  #environment(environment: JobEnvironment, scope: Scope): JobEnvironment {
    const { autoStopIn, url } = environment
    // What depends on the environment is known once it is there.
    const known = (name: string) => (name.startsWith('CI_ENVIRONMENT_') ? `\${${name}}` : scope.valueOf(name))
    return {
      ...environment,
      name: scope.expand(environment.name).slice(0, 255),
      ...(autoStopIn === undefined ? {} : { autoStopIn: scope.expand(autoStopIn) }),
      ...(url === undefined ? {} : { url: expand(url, known) }),
    }
  }
}
