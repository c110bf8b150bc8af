import { Busy, Full, TooLarge, Unprocessable } from '#platform/refusals.ts'

/** The upload is larger than its kind of file may be. */
export class FileTooLarge extends TooLarge {
  constructor(max: number) {
    super(`the file is larger than ${max} bytes`)
  }
}

/** The bytes that came are not those that were announced. */
export class OtherBytes extends Unprocessable {
  constructor() {
    super('The bytes that came do not have the announced digest.')
  }
}

/** The store cannot be reached or does not work. The cause is for the log. */
export class StoreUnavailable extends Busy {
  constructor(cause: unknown) {
    super('the file storage does not answer; try again later', 10, cause)
  }
}

/** The store has no room for more bytes. */
export class StoreFull extends Full {
  constructor(cause: unknown) {
    super('the file storage of this server is full', cause)
  }
}
