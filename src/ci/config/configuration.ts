import type { Filter } from './filters.ts'
import type { Copy } from './matrix.ts'
import type { CrossNeed, Need } from './needs.ts'
import type { Problem } from './problems.ts'
import type { AllowFailure, AutoCancel, Rule, When } from './rules.ts'
import type { Json, Mapping } from './values.ts'
import type { Variables } from './variables.ts'

/** A file that was included, as lint shows it. */
export interface ShownInclude {
  readonly type: 'local' | 'file' | 'remote' | 'template' | 'artifact'
  readonly location: string
  readonly blob: string | null
  readonly raw: string | null
  readonly extra: { readonly [key: string]: string }
  readonly contextProject: string | null
  readonly contextSha: string | null
}

/** Where a job deploys to. Its name may refer to variables until jobs are chosen. */
export interface JobEnvironment {
  readonly name: string
  readonly url?: string
  readonly action: 'start' | 'prepare' | 'stop' | 'verify' | 'access'
  readonly onStop?: string
  readonly autoStopIn?: string
  readonly tier?: string
}

/** The pipeline that a job starts: one of another project, or a child of its own. */
export interface Trigger {
  readonly project?: string
  readonly branch?: string
  readonly include?: readonly Json[]
  readonly strategy?: 'depend' | 'mirror'
  readonly forwardYamlVariables: boolean
  readonly forwardPipelineVariables: boolean
  readonly inputs?: { readonly [key: string]: Json }
}

/** A job as the file has it, before anything decides whether it runs. */
export interface ConfiguredJob {
  readonly name: string
  readonly stage: string
  readonly when: When
  readonly startIn: number | undefined
  readonly allowFailure: AllowFailure
  readonly rules: readonly Rule[] | undefined
  readonly only: Filter | undefined
  readonly except: Filter | undefined
  readonly variables: Variables
  /** Which variables of the top level it has: all, none, or these. */
  readonly inherits: boolean | readonly string[]
  readonly needs: readonly Need[] | undefined
  readonly crossNeeds: readonly CrossNeed[]
  readonly dependencies: readonly string[] | undefined
  readonly copies: readonly Copy[] | undefined
  readonly trigger: Trigger | undefined
  readonly environment: JobEnvironment | undefined
  readonly interruptible: boolean | undefined
  readonly resourceGroup: string | undefined
  readonly coverage: string | undefined
  readonly timeout: number | undefined
  readonly tags: readonly string[]
  /** What only the program that runs the job acts on: `script`, `image`, `services`, `cache`, `artifacts` … */
  readonly options: { readonly [keyword: string]: Json }
}

export interface Workflow {
  readonly name: string | undefined
  readonly rules: readonly Rule[] | undefined
  readonly autoCancel: AutoCancel | undefined
}

/** A whole configuration. With errors, jobs are those that could be read. */
export interface Configuration {
  readonly stages: readonly string[]
  readonly workflow: Workflow
  readonly variables: Variables
  readonly jobs: readonly ConfiguredJob[]
  readonly includes: readonly ShownInclude[]
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** All of the file with everything that it includes and refers to; null if it could not be read that far. */
  readonly merged: Mapping | null
}
