import { stringify } from 'yaml'
import type { Mapping } from './values.ts'

/** A configuration with all its includes as one text. */
export const mergedYaml = (merged: Mapping): string =>
  `---\n${stringify(merged, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 })}`
