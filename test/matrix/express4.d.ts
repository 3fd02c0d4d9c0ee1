// Express 4 under an alias. What the tests use of it has the types of Express 5.
declare module 'express4' {
  import express = require('express');
  export = express;
}
