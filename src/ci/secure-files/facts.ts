import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutSecureFile {
  readonly file: string
}

export const secureFileFacts = {
  'secure file created': fact<AboutSecureFile>(),
  'secure file deleted': fact<AboutSecureFile>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof secureFileFacts> {}
}
