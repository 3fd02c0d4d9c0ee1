// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Events of a library are in the ABI of the contract that emits them: one more `Pair` with the same topic and the same
/// number of indexed inputs.
library Elsewhere {
    event Pair(uint256 first, uint256 indexed second);
}

/// Whatever Solidity lets an event be, each emitted with the arguments that are given.
contract OddEvents {
    type Amount is uint128;

    enum Colour {
        Red,
        Green,
        Blue
    }

    struct Point {
        int32 x;
        int32 y;
    }

    struct Line {
        Point from;
        Point to;
        string label;
    }

    struct Fee {
        address payable to;
        uint256 amount;
        bytes note;
    }

    struct Order {
        uint64 id;
        Fee[] fees;
        Line route;
        bool[3] flags;
        uint16[2][] pairs;
        Line[2][] grid;
    }

    /// Names that JavaScript's objects have a meaning of their own for.
    struct Odd {
        Point __proto__;
        uint256 hasOwnProperty;
        string toString;
        int8 length;
    }

    event Nothing();
    event Dynamic(string indexed text, bytes indexed raw, uint256[] indexed list);
    event Shapes(Point indexed point, Line indexed line, int16[2] indexed fixedList, string plain);
    event Placed(uint64 indexed id, Order order);
    event Fixed(uint8[3] small, int256[2][2] matrix, string[2] names, bytes3[4] marks, Point[2] ends);
    event Negative(int8 a, int16 b, int24 c, int48 d, int56 e, int64 f, int128 g, int256 h);
    event NegativeIndexed(int8 indexed, int56 indexed, int256 indexed);
    event Unsigned(uint8 a, uint16 b, uint32 c, uint48 d, uint56 e, uint64 f, uint128 g, uint256 h);
    event Said(string text);
    event Said(uint256 indexed number, bool);
    event Said(address, bytes);
    event Unnamed(uint256 indexed, address, string indexed, bool, bytes32[]);
    event PartlyNamed(uint256 first, uint256, address indexed third);
    event Proto(uint256 __proto__, address indexed constructor_, int64 indexed toString);
    event ProtoStruct(Odd __proto__, Odd[] valueOf);
    event Bits(bool yes, bytes1 one, bytes4 four, bytes20 twenty, bytes32 all);
    event BitsIndexed(bool indexed yes, bytes4 indexed four, bytes32 indexed all);
    event Chosen(Colour indexed first, Colour second, address payable to, Amount amount, OddEvents self);
    event Text(string text, bytes raw);
    event Lists(string[] texts, bytes[] raws, uint256[][] nested, Colour[] colours, address[] addresses);
    event Pair(uint256 indexed left, uint256 right);
    event Silent(uint256 value, string text) anonymous;
    event Whisper(int256[] values) anonymous;
    event Hidden(address indexed who, uint256 indexed value, bytes32 indexed tag, string indexed text, int8 sign) anonymous;

    event Masked(bytes32 indexed topic, address indexed who, int64 indexed number, uint256 value) anonymous;

    function nothing() external {
        emit Nothing();
    }

    function dynamic(string calldata text, bytes calldata raw, uint256[] calldata list) external {
        emit Dynamic(text, raw, list);
    }

    function shapes(Point calldata point, Line calldata line, int16[2] calldata fixedList, string calldata plain) external {
        emit Shapes(point, line, fixedList, plain);
    }

    function placed(Order calldata order) external {
        emit Placed(order.id, order);
    }

    function fixedArrays(
        uint8[3] calldata small,
        int256[2][2] calldata matrix,
        string[2] calldata names,
        bytes3[4] calldata marks,
        Point[2] calldata ends
    ) external {
        emit Fixed(small, matrix, names, marks, ends);
    }

    function negative(int8 a, int16 b, int24 c, int48 d, int56 e, int64 f, int128 g, int256 h) external {
        emit Negative(a, b, c, d, e, f, g, h);
    }

    function negativeIndexed(int8 a, int56 b, int256 c) external {
        emit NegativeIndexed(a, b, c);
    }

    function unsigned(uint8 a, uint16 b, uint32 c, uint48 d, uint56 e, uint64 f, uint128 g, uint256 h) external {
        emit Unsigned(a, b, c, d, e, f, g, h);
    }

    function said(string calldata text) external {
        emit Said(text);
    }

    function said(uint256 number, bool yes) external {
        emit Said(number, yes);
    }

    function said(address who, bytes calldata what) external {
        emit Said(who, what);
    }

    function unnamed(uint256 a, address b, string calldata c, bool d, bytes32[] calldata e) external {
        emit Unnamed(a, b, c, d, e);
    }

    function partlyNamed(uint256 a, uint256 b, address c) external {
        emit PartlyNamed(a, b, c);
    }

    function proto(uint256 __proto__, address constructor_, int64 toString) external {
        emit Proto(__proto__, constructor_, toString);
    }

    function protoStruct(Odd calldata __proto__, Odd[] calldata valueOf) external {
        emit ProtoStruct(__proto__, valueOf);
    }

    function bits(bool yes, bytes1 one, bytes4 four, bytes20 twenty, bytes32 all) external {
        emit Bits(yes, one, four, twenty, all);
        emit BitsIndexed(yes, four, all);
    }

    function chosen(Colour first, Colour second, address payable to, Amount amount) external {
        emit Chosen(first, second, to, amount, this);
    }

    /// The bytes of a string are whatever they are: nothing on chain looks whether they are UTF-8.
    function rawText(bytes calldata raw) external {
        emit Text(string(raw), raw);
    }

    function lists(
        string[] calldata texts,
        bytes[] calldata raws,
        uint256[][] calldata nested,
        Colour[] calldata colours,
        address[] calldata addresses
    ) external {
        emit Lists(texts, raws, nested, colours, addresses);
    }

    function pair(uint256 left, uint256 right) external {
        emit Pair(left, right);
    }

    function pairElsewhere(uint256 first, uint256 second) external {
        emit Elsewhere.Pair(first, second);
    }

    function silent(uint256 value, string calldata words) external {
        emit Silent(value, words);
    }

    function whisper(int256[] calldata values) external {
        emit Whisper(values);
    }

    function hidden(address who, uint256 value, bytes32 tag, string calldata words, int8 sign) external {
        emit Hidden(who, value, tag, words, sign);
    }

    /// Its first topic is whatever the caller likes: that of `Proto`, whose logs look the same.
    function masked(bytes32 topic, address who, int64 number, uint256 value) external {
        emit Masked(topic, who, number, value);
    }

    /// Several at once, with arguments that follow from a seed.
    function burst(uint256 seed) external {
        bytes32 hash = keccak256(abi.encode(seed));
        emit Bits(uint8(hash[0]) % 2 == 0, bytes1(hash), bytes4(hash), bytes20(hash), hash);
        emit NegativeIndexed(int8(uint8(hash[1])), int56(uint56(seed)), int256(uint256(hash)));
        emit Pair(seed, uint256(hash));
        emit Said(uint256(hash), seed % 2 == 0);
        emit Nothing();
    }

    /// Calls another contract: the log's address is then not the transaction's `to`.
    function relay(address to, bytes calldata call) external {
        (bool done,) = to.call(call);
        require(done, "the call failed");
    }
}
