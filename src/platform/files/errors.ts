import { HttpError } from '#platform/http/errors.ts'

/** The upload is larger than its kind of file may be. */
export class FileTooLarge extends HttpError {
  constructor(max: number) {
    super(413, { message: `413 Request Entity Too Large - the file is larger than ${max} bytes` })
  }
}

/** The store cannot be reached or does not work. The cause is for the log. */
export class StoreUnavailable extends HttpError {
  constructor(cause: unknown) {
    super(
      503,
      { message: '503 Service Unavailable - the file storage does not answer; try again later' },
      { 'retry-after': '10' },
    )
    this.cause = cause
  }
}

/** The store has no room for more bytes. */
export class StoreFull extends HttpError {
  constructor(cause: unknown) {
    super(507, { message: '507 Insufficient Storage - the file storage of this server is full' })
    this.cause = cause
  }
}
