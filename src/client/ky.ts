// By names alone: where CommonJS is imported, `default` is something else.
export { default as ky, isHTTPError, isTimeoutError } from 'ky';
