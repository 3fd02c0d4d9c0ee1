// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-1155 that anybody may mint from, without the callbacks to receivers.
contract Goods {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);
    event URI(string value, uint256 indexed id);

    mapping(address account => mapping(uint256 id => uint256)) public balanceOf;
    mapping(address account => mapping(address operator => bool)) public isApprovedForAll;

    function mint(address to, uint256 id, uint256 value) external {
        balanceOf[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) balanceOf[to][ids[i]] += values[i];
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function setURI(string calldata value, uint256 id) external {
        emit URI(value, id);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata) external {
        move(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata
    ) external {
        for (uint256 i = 0; i < ids.length; i++) move(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
    }

    function move(address from, address to, uint256 id, uint256 value) private {
        require(from == msg.sender || isApprovedForAll[from][msg.sender], "not allowed");
        balanceOf[from][id] -= value;
        balanceOf[to][id] += value;
    }
}
