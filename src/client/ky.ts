// `#ky`: ky, in a file that is imported late (see scripts/shared-files.ts). Named exports, because `default` differs
// where CommonJS is imported.
export { default as ky, HTTPError, isHTTPError, isTimeoutError } from 'ky';
