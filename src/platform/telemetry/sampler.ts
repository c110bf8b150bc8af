import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TelemetryOptions } from './variables.ts'

/** Decides which traces are recorded, as `OTEL_TRACES_SAMPLER` says. */
export function samplerOf({ sampler, ratio }: Pick<TelemetryOptions, 'sampler' | 'ratio'>): Sampler {
  const ofParent = 'parentbased_'
  if (sampler.startsWith(ofParent)) {
    return new ParentBasedSampler({ root: plain(sampler.slice(ofParent.length), ratio) })
  }
  return plain(sampler, ratio)
}

function plain(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler()
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler()
}
